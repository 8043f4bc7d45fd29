"""The numbers that stand in the sentences of a first screen, in their order, made anew from the store's tables."""

import re
from statistics import median
from typing import Any

from tests.support.recomputed_figures import RecomputedFigures
from tests.support.stored_tables import moment

BY_ESTIMATOR = None
"""What the estimator alone can make: the end of an interval of windows together or at a page's confidence, a plan."""
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?")
_SECONDS = 3600


def dates_in(text: str) -> list[str]:
    return _DATE.findall(text)


def numbers_in(text: str) -> list[str]:
    """As they are written; dates are none."""
    return [text[start:end] for start, end in number_places(text)]


def number_places(text: str) -> list[tuple[int, int]]:
    """Where they begin and end."""
    return [found.span() for found in _NUMBER.finditer(_DATE.sub(lambda date: "-" * len(date.group()), text))]


def is_rounded(written: str, number: float | None) -> bool:
    """Whether a number is written in the digits that it has there, of a large count three."""
    if number is BY_ESTIMATOR:
        return True
    plain = written.replace(",", "")
    digits = len(plain.partition(".")[2])
    step = 10.0**-digits
    if "." not in plain and len(plain) > 3 and plain.endswith("0" * (len(plain) - 3)):
        step = 10.0 ** (len(plain) - 3)
    return abs(float(plain) - number) <= step / 2 + 1e-9


class RecomputedSentences:
    """By how a line of the first screen begins: the numbers that it must hold."""

    def __init__(self, figures: RecomputedFigures) -> None:
        self.figures = figures
        self.tables = figures.tables
        self.newest = figures.tables.estimate(figures.cycle, figures.fall["classifier"], "precision")
        self.floor = figures.tables.limit(figures.fall["classifier"], "precision")["floor"]

    def of(self, line: str) -> list[float | None]:
        """Those of one line; an error where no line of that kind is known."""
        begins = {
            r"lr \(": self.subject,
            "Now": self.now,
            "Since": self.nothing,
            "Harm": self.harm,
            "about": self.harm_in_short,
            "Cost": self.cost,
            "Where": lambda: self.where(re.search(r"\S+=\w+", line).group()),
            "Clue": self.clue,
            "Still on": self.still_on,
            "Sure": self.sure,
            "Do": self.nothing,
            "Who: unknown looks": self.nothing,
            "Others": self.nothing,
            "Not the cause": self.causes,
            "Cut-offs": self.cut_offs,
            "As a metric": self.metric,
            "Proof": self.proof,
            r"\d+ metrics with a limit": self.states,
            r"\d+ incident": self.incidents,
            "Window": self.progress,
            "Less sure than wanted": self.too_wide,
            "False-omission rate of all classifiers moved together": self.moved_together,
            r"\d+ labels are expected": self.next_window,
        }
        (found,) = [numbers for start, numbers in begins.items() if re.match(start, line)]
        return found()

    @property
    def dates(self) -> set[str]:
        """Those that a headline may name: of the fall, its page and its acknowledgement, and of windows."""
        fall = self.figures.fall
        moments = [fall[name] for name in ("since", "opened_at", "acknowledged_at")]
        moments += [one[end] for one in self.tables.cycles for end in ("window_start", "window_end")]
        return {f"{moment(one):%Y-%m-%d}" for one in moments}

    def nothing(self) -> list[float | None]:
        return []

    def subject(self) -> list[float | None]:
        return [100 * (1 - self.newest["value"]), 100 * self.figures.share_wrong(self.figures.before_fall())]

    def now(self) -> list[float | None]:
        value, usual = self.subject()
        low, high = (100 * (1 - self.newest[end]) for end in ("high", "low"))
        return [value, low, high, 100 * (1 - self.floor), usual]

    def still_on(self) -> list[float | None]:
        weeks = [100 * self.figures.share_wrong([one]) for one in self.figures.since_fall()]
        return [len(weeks), *weeks]

    def sure(self) -> list[float | None]:
        _, low, high, allowed, _ = self.now()
        return [low, high, allowed]

    def too_wide(self) -> list[float | None]:
        """Of each goal that some classifiers miss: how many, of how many, the widest, and what is wanted."""
        said = list[float | None]()
        for goal in self.tables.spec["goals"]:
            widths = [self.figures.half_width(name, goal["metric"]) for name in self.tables.names]
            wide = [one for one in widths if one > goal["margin"]]
            some = [len(wide), len(widths)] if len(wide) < len(widths) else []
            said += [*some, 100 * max(wide), 100 * goal["margin"]] if wide else []
        return said

    def moved_together(self) -> list[float | None]:
        changes = [self.figures.change(name, "false_omission_rate") for name in self.tables.names]
        return [100 * abs(sum(changes)) / len(changes)]

    def next_window(self) -> list[float | None]:
        goals = len(self.tables.names) * len(self.tables.spec["goals"])
        return [self.tables.spec["budget"], BY_ESTIMATOR, goals, BY_ESTIMATOR]

    def harm(self) -> list[float | None]:
        flags = self.tables.calls(self.figures.cycle, "lr", "1")
        so_far = [*self.figures.more_wrong_since(), len(self.figures.since_fall())]
        return [*self.figures.wrong(self.figures.cycle), flags, self.figures.usual_wrong(), *so_far]

    def harm_in_short(self) -> list[float | None]:
        return [*self.figures.wrong(self.figures.cycle), self.figures.usual_wrong()]

    def cost(self) -> list[float | None]:
        each = self.tables.spec["costs"]["wrong_flag"]
        now, usual, more = (
            self.figures.wrong(self.figures.cycle),
            self.figures.usual_wrong(),
            self.figures.more_wrong_since(),
        )
        so_far = [each * end for end in more]
        return [*(each * end for end in now), each, each * usual, *so_far, len(self.figures.since_fall())]

    def where(self, segment: str) -> list[float | None]:
        before, since = self.figures.before_fall(), self.figures.since_fall()
        now, was = (100 * self.figures.share_wrong(several, segment) for several in (since, before))
        return [now, BY_ESTIMATOR, BY_ESTIMATOR, len(since), was]

    def clue(self) -> list[float | None]:
        flags = [
            lambda cycle: self.tables.calls(cycle, "lr", "1"),
            lambda cycle: self.tables.flags_alone(cycle, "lr"),
            *(
                lambda cycle, segment=segment: self.tables.calls(cycle, "lr", "1", segment)
                for segment in self.tables.segments(self.figures.cycle)
            ),
        ]
        found = [_mean(one, several) for one in flags for several in (self.figures.before_fall(), self._since())]
        return [*found, len(self._since())]

    def causes(self) -> list[float | None]:
        before, since = self.figures.before_fall(), self._since()
        items = [_mean(self.tables.items, several) for several in (since, before)]
        scores = [self.figures.mean_score(several) for several in (since, before)]
        return [*items, *scores, self._delay(since)]

    def cut_offs(self) -> list[float | None]:
        return [len(self.figures.view.cut_offs[0].rows), 100 * self.floor]

    def metric(self) -> list[float | None]:
        return [100 * self.newest["value"], self.labels(), 100 * self.floor]

    def proof(self) -> list[float | None]:
        ends = [100 * self.newest[end] for end in ("value", "low", "high")]
        sure = 100 * self.newest["confidence"]
        return [*ends, sure, 100 * self.floor, BY_ESTIMATOR, BY_ESTIMATOR, self.labels()]

    def labels(self) -> int:
        return self.tables.labels_used(self.figures.cycle, "lr", "precision")

    def states(self) -> list[float | None]:
        found = self.tables.rows("SELECT state FROM alarm_states WHERE cycle_id = ?", self.figures.cycle)
        states = [row["state"] for row in found]
        return [len(states), states.count("BREACH"), states.count("OK")]

    def incidents(self) -> list[float | None]:
        return [self.tables.number("SELECT COUNT(*) FROM incidents WHERE resolved_at IS NULL")]

    def progress(self) -> list[float | None]:
        outcomes = self.tables.outcomes(self.tables.cycles[-1])
        return [outcomes["used"], outcomes["drawn"]]

    def _since(self) -> list[Any]:
        return self.figures.since_fall()

    def _delay(self, cycles: list[Any]) -> float:
        """The median hours from a window's plan until the first answers to what it asked came."""
        query = (
            "SELECT MIN(e.at) AS at, r.planned_at FROM draws d JOIN rounds r ON r.id = d.round_id"
            " JOIN label_events e ON e.item_key = d.item_key AND e.question_key = d.question_key"
            " WHERE d.cycle_id = ? AND NOT d.reused GROUP BY d.item_key"
        )
        found = [row for one in cycles for row in self.tables.rows(query, one["id"])]
        return median((moment(row["at"]) - moment(row["planned_at"])).total_seconds() / _SECONDS for row in found)


def _mean(number: Any, cycles: list[Any]) -> float:
    return sum(number(one["id"]) for one in cycles) / len(cycles)
