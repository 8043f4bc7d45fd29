"""The numbers of a panel's report, made anew from the store's tables: by plain formulas, without the program's own."""

from collections.abc import Sequence
from math import sqrt
from statistics import NormalDist
from typing import Any, NamedTuple

from stratawatch.report.view_models import PanelView, Score
from tests.support.recomputed_estimates import furthest_values, wilson_labels
from tests.support.stored_tables import StoredTables, moment, moment_or_none

FEW, MANY = 4, 13
"""Windows that are read as one."""
MOST_BEFORE = 4
"""Windows before a fall that say what is usual."""


class Ends(NamedTuple):
    """A number and the ends of its interval."""

    value: float
    low: float
    high: float


class RecomputedFigures:
    """The numbers of the view of one panel with an open breach, in the shape of the view.

    Of the view only names are read: which classifier, metric, segment or window a row is about.
    """

    def __init__(self, tables: StoredTables, view: PanelView) -> None:
        self.tables = tables
        self.view = view
        self.newest = tables.judged[-1]
        self.cycle = self.newest["id"]

    def tree(self) -> dict[str, Any]:
        """All of them."""
        shown = self.tables.cycles[-len(self.view.cycles) :]
        revision = self.tables.revision(self.cycle)
        spec = self.tables.spec
        return {
            "window": window(self.newest),
            "headline": {"more_wrong": self.wrong(self.cycle).value - self.usual_wrong()},
            "summary": self.summary(shown),
            "scores": [self.score(one) for one in self.view.scores],
            "segments": [self.score(one) for one in self.view.segments],
            "several": self.several(),
            "trends": [
                {
                    "points": [self.point(one, trend.classifier, trend.metric) for one in shown],
                    "marks": self.marks(shown, trend.classifier),
                }
                for trend in self.view.trends
            ],
            "labels": self.tables.outcomes(self.newest),
            "cost": self.cost(),
            "cycles": [self.cycle_row(one) for one in reversed(shown)],
            "older": len(self.tables.cycles) - len(shown),
            "incidents": [self.incident(one.id) for one in self.view.incidents],
            "notifications": self.notifications(shown[0]["opened_at"]),
            "method": {
                "confidence": spec["confidence"],
                "false_pages_per_year": spec["false_pages_per_year"],
                "revision": revision["number"],
                "estimated_at": moment(revision["at"]),
                "goals": [{"margin": goal["margin"]} for goal in spec["goals"]],
                "panel_version": self.newest["version_id"],
            },
            "next_window": self.next_window(),
            "missing": self.missing(),
            "cut_offs": [
                {
                    "rows": [{"labels": self.labels_beyond(row.cut_off)} for row in one.rows],
                    "choice": {
                        "confidence": spec["confidence"],
                        "limit": {"value": self.tables.limit(self.fall["classifier"], self.fall["metric"])["floor"]},
                    },
                }
                for one in self.view.cut_offs
            ],
            "score_curves": [{"windows": [len(self.before_fall()), len(self.since_fall())]}],
        }

    def several(self) -> dict[str, Any]:
        """Over how many windows metrics are read as one, and from how many labels; their values are compared apart."""
        judged = self.tables.judged
        asked = [(len(judged[-FEW:]), 0), (len(judged[-MANY:]), 0), (1, 1), (FEW, len(judged[:-FEW][-FEW:]))]

        def readings(classifier: str, metric: str) -> list[dict[str, int]]:
            used = [self.tables.labels_used(one["id"], classifier, metric) for one in judged]
            return [
                {"windows": windows, "before": before, "labels_used": sum(used[-(windows + before) :])}
                for windows, before in asked
            ]

        return {
            "columns": [{"windows": windows, "before": before} for windows, before in asked],
            "classifiers": [
                [name, [{"readings": readings(name, row.metric)} for row in rows]]
                for name, rows in self.view.several.classifiers
            ],
            "others": 0,
        }

    def summary(self, shown: Sequence[Any]) -> dict[str, Any]:
        """What stands below the headline."""
        view = self.view.summary
        judged = [one for one in shown if one["state"] == "judged"]
        starts = [moment(one["window_start"]) for one in judged]
        since = moment(self.fall["since"])
        stream = view.places.classifier, view.places.metric
        flags = {row.name: self.flags(judged, row.name) for row in view.rows}
        return {
            "rows": [
                {"scores": [self.score(one) for one in row.scores], "flags": flags[row.name]} for row in view.rows
            ],
            "flags": flags[self.fall["classifier"]],
            "places": {
                "starts": starts,
                "places": [
                    {"values": [self.interval(one["id"], *stream, place.name)["value"] for one in judged]}
                    for place in view.places.places
                ],
                "limit": self.tables.limit(*stream),
                "since": since,
            },
        }

    def flags(self, judged: Sequence[Any], name: str) -> dict[str, Any]:
        """What a classifier flagged in each window, and the mean of up to four before it broke, else before the last.

        They are counted from the atoms; the report reads what the windows' input was counted as.
        """
        counts = [self.tables.calls(one["id"], name, "1") for one in judged]
        broke = name == self.fall["classifier"]
        since = self.fall["since"] if broke else judged[-1]["window_start"]
        usual = [flags for one, flags in zip(judged, counts, strict=True) if one["window_start"] < since][-MOST_BEFORE:]
        return {
            "starts": [moment(one["window_start"]) for one in judged],
            "counts": counts,
            "usual": sum(usual) / len(usual),
            "since": moment(since) if broke else None,
        }

    def marks(self, shown: Sequence[Any], name: str) -> list[dict[str, int]]:
        """The windows in which something of a classifier was deployed."""
        return [
            {"place": place}
            for one in self.view.links.deployments
            for place, cycle in enumerate(shown)
            if one.classifier in ("", name) and moment(cycle["window_start"]) <= one.at < moment(cycle["window_end"])
        ]

    def next_window(self) -> dict[str, Any]:
        """What the goals want and what this window reached; what is expected of the next one is a forecast."""
        wanted = {goal["metric"]: goal["margin"] for goal in self.tables.spec["goals"]}
        rows = [
            {"now": self.half_width(row.classifier, row.metric), "wanted": wanted[row.metric]}
            for row in self.view.next_window.rows
        ]
        more = len(self.tables.names) * len(wanted) - len(rows)
        return {"labels": self.tables.spec["budget"], "rows": rows, "more": more}

    def half_width(self, classifier: str, metric: str) -> float:
        """That of the newest window's interval."""
        found = self.tables.estimate(self.cycle, classifier, metric)
        return float(found["high"] - found["low"]) / 2

    def change(self, classifier: str, metric: str) -> float:
        """Of a value since the window before."""
        now, was = (self.tables.estimate(one["id"], classifier, metric) for one in self.tables.judged[:-3:-1])
        return float(now["value"] - was["value"])

    def interval(self, cycle: int, *stream: str | None) -> dict[str, float] | None:
        """The kept estimate of a stream."""
        found = self.tables.estimate(cycle, *stream)
        known = found is not None and found["undefined"] is None
        return {name: found[name] for name in ("value", "low", "high", "n_eff")} if known else None

    def score(self, one: Score) -> dict[str, Any]:
        stream = one.classifier, one.metric, one.segment
        kept, now = self.tables.estimate(self.cycle, *stream), self.interval(self.cycle, *stream)
        limit, revision = self.tables.limit(*stream), self.tables.revision(self.cycle)
        earlier = [
            (was, found["value"]) for was in self.tables.judged[:-1] if (found := self.interval(was["id"], *stream))
        ]
        return {
            "estimate": now,
            "labels_used": self.tables.labels_used(self.cycle, *stream),
            **({"limit": limit} if limit else {}),
            "change": now["value"] - earlier[-1][1] if now and earlier else None,
            "change_since": window(earlier[-1][0]) if now and earlier else None,
            "revision": revision["number"],
            "deff": kept["deff"],
            "outlooks": [
                {
                    "cycle": self.cycle,
                    "limit": limit[outlook.end],
                    "value": (together := self.pooled(one, outlook.windows)),
                    "distance": (limit[outlook.end] - together) * (1 if outlook.end == "ceiling" else -1),
                    "labels": self.tables.outcomes(self.newest)["new"],
                    "windows": outlook.windows if outlook.windows in (1, 4, 13) else 0,
                }
                for outlook in one.outlooks
            ],
        }

    def pooled(self, one: Score, windows: int) -> float:
        """A share over the last windows together: each window's counts by the calls that it is a share of."""
        letter = "1" if one.metric == "precision" else "0"
        several = self.tables.judged[-windows:]
        calls = [self.tables.calls(was["id"], one.classifier, letter, one.segment) for was in several]
        values = [self.tables.estimate(was["id"], one.classifier, one.metric, one.segment)["value"] for was in several]
        return sum(n * value for n, value in zip(calls, values, strict=True)) / sum(calls)

    def point(self, cycle: Any, classifier: str, metric: str) -> dict[str, Any]:
        limit = self.tables.limit(classifier, metric) or {"floor": None, "ceiling": None}
        found = {"window": window(cycle), "limit": limit["ceiling"] if limit["floor"] is None else limit["floor"]}
        estimate = self.interval(cycle["id"], classifier, metric)
        return found | ({"estimate": estimate} if estimate else {})

    def cycle_row(self, cycle: Any) -> dict[str, Any]:
        revision = self.tables.revision(cycle["id"])
        return {
            "id": cycle["id"],
            "period": round((moment(cycle["window_start"]) - self.start).days / 7),
            "window": window(cycle),
            "revision": revision["number"] if revision else None,
            "rows": self.tables.items(cycle["id"]),
            "quarantined": self.tables.number("SELECT COUNT(*) FROM quarantine WHERE cycle_id = ?", cycle["id"]),
            "labels": self.tables.outcomes(cycle),
        }

    @property
    def start(self) -> Any:
        """Of the first window."""
        return moment(self.tables.number("SELECT MIN(window_start) FROM cycles WHERE panel = ?", self.tables.panel))

    def incident(self, number: int) -> dict[str, Any]:
        ((row, cycle),) = [
            (one, self.tables.rows("SELECT * FROM cycles WHERE id = ?", one["cycle_id"])[0])
            for one in self.tables.rows("SELECT * FROM incidents WHERE id = ?", number)
        ]
        return {
            "opened_at": moment(row["opened_at"]),
            "resolved_at": moment_or_none(row["resolved_at"]),
            "window": window(cycle),
            "id": row["id"],
            "since": moment_or_none(row["since"]),
        }

    def notifications(self, since: str) -> list[dict[str, Any]]:
        rows = self.tables.rows("SELECT * FROM notifications WHERE created_at >= ? ORDER BY id DESC", since)
        return [{"at": moment(row["created_at"]), "attempts": row["attempts"]} for row in rows]

    def missing(self) -> dict[str, Any]:
        """Drawn items by their answers, on each side of each classifier and in each stratum that lacks some."""
        draws = self.tables.draws(self.cycle)
        sides = [
            [one for one in draws if one["pattern"][place] == letter]
            for place in range(len(self.tables.names))
            for letter in "10"
        ]
        strata = [
            [one for one in draws if one["stratum"] == number] for number in sorted({one["stratum"] for one in draws})
        ]
        lacking = [drawn for drawn in strata if any(one["said"] not in ("yes", "no") for one in drawn)]
        return {
            "counts": [{**answer_counts(drawn), "stratum": None} for drawn in sides]
            + [{**answer_counts(drawn), "stratum": drawn[0]["stratum"]} for drawn in lacking],
            "bounds": [
                {
                    "estimate": self.interval(self.cycle, row.classifier, row.metric),
                    "bounds": self.missing_of(draws, row.classifier, row.metric),
                }
                for row in self.view.missing.bounds
            ],
        }

    def missing_of(self, draws: Sequence[dict[str, Any]], classifier: str, metric: str) -> dict[str, float]:
        place = self.tables.names.index(classifier)
        letters = {"precision": "1", "false_omission_rate": "0"}.get(metric, "10")
        drawn = [one for one in draws if one["pattern"][place] in letters]
        lowest, highest = furthest_values(self.tables, self.cycle, classifier, metric)
        missing = sum(one["said"] not in ("yes", "no") for one in drawn)
        return {"lowest": lowest, "highest": highest, "missing": missing, "drawn": len(drawn)}

    def labels_beyond(self, cut_off: str) -> int:
        """Answers of the windows since the fall to items that its classifier would flag with another cut-off."""
        least = round(256 * float(cut_off.removesuffix(", in use"))) / 256  # the text has four digits of it
        return sum(
            one["said"] in ("yes", "no") and one["score_lr"] >= least
            for cycle in self.since_fall()
            for one in self.tables.draws(cycle["id"])
        )

    def labels_with_score(self, windows: Sequence[Any], low: float, high: float) -> int:
        """Answers of windows to items whose classifier's score lies in a range; 1 belongs to the last one."""
        return sum(
            one["said"] in ("yes", "no") and low <= one["score_lr"] and (one["score_lr"] < high or high == 1)
            for cycle in windows
            for one in self.tables.draws(cycle["id"])
        )

    def cost(self) -> dict[str, Any]:
        """z^2 theta (1 - theta)/h^2, or what Wilson's interval needs if that is more; less for a finite domain."""
        outcomes = self.tables.outcomes(self.newest)
        metrics = [goal["metric"] for goal in self.tables.spec["goals"]]
        needs = [self.plain_need(name, metric) for name in self.tables.names for metric in metrics]
        return {"used": outcomes["used"], "new": outcomes["new"], "needs": needs, "undefined_goals": 0}

    def plain_need(self, classifier: str, metric: str) -> dict[str, Any]:
        found = self.tables.estimate(self.cycle, classifier, metric)
        value, half = found["value"], (found["high"] - found["low"]) / 2
        positive, negative = (self.tables.calls(self.cycle, classifier, letter) for letter in "10")
        hits, misses = (
            self.tables.estimate(self.cycle, classifier, name)["value"] * calls
            for name, calls in (("precision", positive), ("false_omission_rate", negative))
        )
        domain = {"precision": positive, "false_omission_rate": negative, "recall": hits + misses}[metric]
        z = NormalDist().inv_cdf((1 + found["confidence"]) / 2)
        n = max(z**2 * value * (1 - value) / half**2, wilson_labels(value, half, z)) if half else domain
        n = min(domain, n / (1 + max(n - 1, 0) / domain)) if half else domain
        everything = self.tables.items(self.cycle)
        shared = min(everything, n * everything / domain)
        own = shared if metric == "recall" else n
        return {"half_width": half, "separate": round(own), "shared": round(shared)}

    @property
    def fall(self) -> Any:
        """The one breach that is open."""
        ((found),) = self.tables.rows("SELECT * FROM incidents WHERE kind = 'BREACH' AND resolved_at IS NULL")
        return found

    def since_fall(self) -> list[Any]:
        """The judged windows from its first one on."""
        return [one for one in self.tables.judged if one["window_start"] >= self.fall["since"]]

    def before_fall(self) -> list[Any]:
        return [one for one in self.tables.judged if one["window_start"] < self.fall["since"]][-MOST_BEFORE:]

    def wrong(self, cycle: int) -> Ends:
        """Wrong flags of a window: its flags times one minus the precision."""
        found = self.tables.estimate(cycle, self.fall["classifier"], "precision")
        flags = self.tables.calls(cycle, self.fall["classifier"], "1")
        return Ends(*(flags * (1 - found[end]) for end in ("value", "high", "low")))

    def usual_wrong(self) -> float:
        several = [self.wrong(one["id"]).value for one in self.before_fall()]
        return sum(several) / len(several)

    def more_wrong_since(self) -> Ends:
        """Wrong flags beyond the usual in all windows since the fall: a difference of means by MOVER, k times."""
        again = 1 - self.tables.first_use_share(self.cycle)
        since, before = self.since_fall(), self.before_fall()
        most = max(len(since), len(before))
        factor = 1 + 2 * sum((1 - apart / most) * again**apart for apart in range(1, most))
        now, usual = (mean([self.wrong(one["id"]) for one in several], factor) for several in (since, before))
        below = sqrt((now.value - now.low) ** 2 + (usual.high - usual.value) ** 2)
        above = sqrt((now.high - now.value) ** 2 + (usual.value - usual.low) ** 2)
        value = now.value - usual.value
        return Ends(*(len(since) * end for end in (value, value - below, value + above)))

    def share_wrong(self, cycles: Sequence[Any], segment: str | None = None) -> float:
        """The share of all flags of these windows that is wrong."""
        name = self.fall["classifier"]
        flags = [self.tables.calls(one["id"], name, "1", segment) for one in cycles]
        values = [self.tables.estimate(one["id"], name, "precision", segment)["value"] for one in cycles]
        return 1 - sum(n * value for n, value in zip(flags, values, strict=True)) / sum(flags)

    def mean_score(self, cycles: Sequence[Any]) -> float:
        places = ", ".join(str(one["id"]) for one in cycles)
        return float(
            self.tables.number(f"SELECT SUM(size * mean_score) / SUM(size) FROM atoms WHERE cycle_id IN ({places})")
        )


def window(cycle: Any) -> dict[str, Any]:
    return {"start": moment(cycle["window_start"]), "end": moment(cycle["window_end"])}


def answer_counts(drawn: Sequence[dict[str, Any]]) -> dict[str, int]:
    """Of a window that is over."""
    skipped, expired = (sum(one["said"] == word for one in drawn) for word in ("skip", None))
    answered = len(drawn) - skipped - expired
    return {"drawn": len(drawn), "answered": answered, "skipped": skipped, "expired": expired, "open": 0}


def mean(several: Sequence[Ends], factor: float) -> Ends:
    value = sum(one.value for one in several) / len(several)
    below = sqrt(factor * sum((one.value - one.low) ** 2 for one in several)) / len(several)
    above = sqrt(factor * sum((one.high - one.value) ** 2 for one in several)) / len(several)
    return Ends(value, max(value - below, 0.0), value + above)
