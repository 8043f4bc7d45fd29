"""What a store's tables say of one panel, read with SQL alone: cycles, calls, labels, estimates."""

import json
import sqlite3
from collections import Counter
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

YES_OR_NO = ("yes", "no")
SIDES_OF = {"precision": "1", "false_omission_rate": "0", "recall": "10"}
"""By metric: the letters of the calls whose labels say something of it."""


class StoredTables:
    """Reads a panel of one vote an item and one annotator from a SQLite file."""

    def __init__(self, file: Path, panel: str) -> None:
        self.panel = panel
        self._connection = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
        self._connection.row_factory = sqlite3.Row
        self._draws: dict[int, list[dict[str, Any]]] = {}

    def close(self) -> None:
        self._connection.close()

    def rows(self, query: str, *values: Any) -> list[sqlite3.Row]:
        return self._connection.execute(query, values).fetchall()

    def number(self, query: str, *values: Any) -> Any:
        ((found,),) = self.rows(query, *values)
        return found

    @cached_property
    def cycles(self) -> list[sqlite3.Row]:
        """Those that were not replaced, oldest window first."""
        return self.rows("SELECT * FROM cycles WHERE panel = ? AND period >= 0 ORDER BY period", self.panel)

    @cached_property
    def judged(self) -> list[sqlite3.Row]:
        return [one for one in self.cycles if one["state"] == "judged"]

    @cached_property
    def spec(self) -> dict[str, Any]:
        """What the newest judged window was drawn with."""
        found = self.number("SELECT spec FROM panel_versions WHERE id = ?", self.judged[-1]["version_id"])
        return dict(json.loads(found))

    @cached_property
    def names(self) -> list[str]:
        return [one["name"] for one in self.spec["classifiers"]]

    def revision(self, cycle: int) -> sqlite3.Row | None:
        found = self.rows("SELECT * FROM revisions WHERE cycle_id = ? ORDER BY number DESC LIMIT 1", cycle)
        return found[0] if found else None

    def estimate(self, cycle: int, classifier: str, metric: str, segment: str | None = None) -> sqlite3.Row | None:
        """That of the newest revision."""
        revision = self.revision(cycle)
        found = self.rows(
            "SELECT * FROM estimates WHERE revision_id = ? AND classifier = ? AND metric = ? AND segment_key = ?",
            *(revision["id"] if revision else -1, classifier, metric, segment or ""),
        )
        return found[0] if found else None

    def state(self, cycle: int, classifier: str, metric: str, segment: str | None = None) -> str | None:
        found = self.rows(
            "SELECT state FROM alarm_states WHERE cycle_id = ? AND classifier = ? AND metric = ? AND segment_key = ?"
            " ORDER BY revision DESC LIMIT 1",
            *(cycle, classifier, metric, segment or ""),
        )
        return found[0]["state"] if found else None

    def limit(self, classifier: str, metric: str, segment: str | None = None) -> dict[str, Any] | None:
        """The limit of a stream, as it was configured."""
        for one in self.spec["limits"]:
            where = one["segment"] and f"{one['segment']['column']}={one['segment']['value']}"
            is_for = not one["classifiers"] or classifier in one["classifiers"]
            if is_for and (one["metric"], where) == (metric, segment):
                return {name: one[name] for name in ("floor", "ceiling", "max_drop")}
        return None

    def calls(self, cycle: int, classifier: str, letter: str, segment: str | None = None) -> int:
        """Items of a window, or of a segment of it, that a classifier calls so."""
        place = self.names.index(classifier) + 1
        if segment is None:
            return int(
                self.number(
                    "SELECT COALESCE(SUM(size), 0) FROM atoms WHERE cycle_id = ? AND substr(pattern, ?, 1) = ?",
                    *(cycle, place, letter),
                )
            )
        return int(
            self.number(
                "SELECT COALESCE(SUM(s.size), 0) FROM atom_segments s JOIN atoms a"
                " ON a.cycle_id = s.cycle_id AND a.position = s.atom WHERE a.cycle_id = ?"
                " AND substr(a.pattern, ?, 1) = ? AND s.segment_column || '=' || s.segment_value = ?",
                *(cycle, place, letter, segment),
            )
        )

    def flags_alone(self, cycle: int, classifier: str) -> int:
        """Items that this classifier flags and no other."""
        only = "".join("1" if name == classifier else "0" for name in self.names)
        return int(
            self.number("SELECT COALESCE(SUM(size), 0) FROM atoms WHERE cycle_id = ? AND pattern = ?", cycle, only)
        )

    def items(self, cycle: int) -> int:
        return int(self.number("SELECT SUM(size) FROM atoms WHERE cycle_id = ?", cycle))

    def segments(self, cycle: int) -> list[str]:
        query = "SELECT DISTINCT segment_column || '=' || segment_value AS name FROM atom_segments WHERE cycle_id = ?"
        return sorted(row["name"] for row in self.rows(query, cycle))

    def draws(self, cycle: int) -> list[dict[str, Any]]:
        """Each drawn item with its pattern, stratum, segments, scores, and the last word on it."""
        if cycle not in self._draws:
            self._draws[cycle] = self._read_draws(cycle)
        return self._draws[cycle]

    def _read_draws(self, cycle: int) -> list[dict[str, Any]]:
        ((opened_at,),) = self.rows("SELECT opened_at FROM cycles WHERE id = ?", cycle)
        oldest = moment(opened_at) - timedelta(seconds=self.spec["label_validity"])
        said = {
            (row["item_key"], row["question_key"]): row["value"]
            for row in self.rows("SELECT * FROM label_events ORDER BY id")
            if moment(row["at"]) >= oldest
        }
        found = self.rows(
            "SELECT d.*, a.pattern, a.stratum, c.segments, json_extract(c.payload, '$.score_lr') AS score_lr"
            " FROM draws d"
            " JOIN atoms a ON a.cycle_id = d.cycle_id AND a.position = d.atom"
            " JOIN candidates c ON c.cycle_id = d.cycle_id AND c.item = d.item WHERE d.cycle_id = ?",
            cycle,
        )
        return [
            {
                **dict(row),
                "segments": {f"{name}={value}" for name, value in json.loads(row["segments"]).items()},
                "said": said.get((row["item_key"], row["question_key"])),
            }
            for row in found
        ]

    def labels_used(self, cycle: int, classifier: str, metric: str, segment: str | None = None) -> int:
        """Answers to items on the sides that a metric reads."""
        place, letters = self.names.index(classifier), SIDES_OF[metric]
        return sum(
            one["said"] in YES_OR_NO
            and one["pattern"][place] in letters
            and (segment is None or segment in one["segments"])
            for one in self.draws(cycle)
        )

    def outcomes(self, cycle: sqlite3.Row) -> dict[str, int]:
        """What became of the drawn items."""
        is_over = cycle["state"] == "judged"
        draws = self.draws(cycle["id"]) if is_over else [self._so_far(one, cycle) for one in self.draws(cycle["id"])]
        said = {one["item_key"]: one["said"] for one in draws}
        sent = {
            key
            for row in self.rows(
                "SELECT tasks FROM batches b JOIN rounds r ON r.id = b.round_id"
                " WHERE r.cycle_id = ? AND (b.state IN ('sent', 'closed') OR EXISTS (SELECT 1 FROM transitions t"
                " WHERE t.entity = 'batch' AND t.entity_id = b.id AND t.new_state = 'sent'))",
                cycle["id"],
            )
            for key, _ in json.loads(row["tasks"])
        }
        waiting = sum(said[key] is None for key in sent)
        kinds = Counter(one["said"] for one in draws)
        reused = sum(one["reused"] for one in draws)
        return {
            "drawn": len(draws),
            "reused": reused,
            "new": len(sent),
            "used": kinds["yes"] + kinds["no"],
            "skipped": kinds["skip"],
            "open": 0 if is_over else waiting,
            "expired": waiting if is_over else 0,
            "unsent": len(draws) - reused - len(sent),
        }

    def _so_far(self, draw: dict[str, Any], cycle: sqlite3.Row) -> dict[str, Any]:
        """A draw of a window that is being labelled: what was skipped before it was opened is asked again."""
        newest = self.number(
            "SELECT MAX(at) FROM label_events WHERE item_key = ? AND question_key = ?",
            *(draw["item_key"], draw["question_key"]),
        )
        is_asked_again = draw["said"] == "skip" and not draw["reused"] and newest < cycle["opened_at"]
        return draw | {"said": None} if is_asked_again else draw

    def first_use_share(self, cycle: int) -> float:
        """The share of a window's draws that no earlier window drew."""
        found = self.rows("SELECT first_use, reused FROM draws WHERE cycle_id = ?", cycle)
        return sum(not row["reused"] if row["first_use"] is None else row["first_use"] for row in found) / len(found)


def moment(text: str) -> datetime:
    """A time as the store keeps it, in UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def moment_or_none(text: str | None) -> datetime | None:
    return None if text is None else moment(text)
