"""The labels of a study for the next one, with the pattern, score and weight of every item."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import numpy as np

from stratawatch.core.designs.frozen import FrozenDesign
from stratawatch.core.history.model_trust import with_variance_ratios
from stratawatch.core.history.past_labels import NO_HISTORY, History
from stratawatch.core.population import NO_BIN
from stratawatch.core.random_numbers import digest, unit_number
from stratawatch.core.score_bins import centre
from stratawatch.errors import StratawatchError
from stratawatch.study.study_columns import StudyColumns
from stratawatch.study.study_population import StudyPopulation
from stratawatch.study.study_progress import StudyProgress

if TYPE_CHECKING:
    import pandas as pd

MOST_PERIODS: Final = 30
"""Older labels say nothing about today, and are dropped."""
_FORMAT: Final = "stratawatch study history 1"


class PastLabel(NamedTuple):
    """One label. `z` is the middle of the score's bin, None without a score; `weight` the items it stood for.

    `pattern` has a letter for each classifier, then for each auxiliary score: 1 yes, 0 no, - nothing.

    >>> PastLabel("m1", 3, "10", 0.25, "yes", 41.5).verdict
    'yes'
    """

    item: str
    period: int
    pattern: str
    z: float | None
    verdict: Literal["yes", "no"]
    weight: float


@dataclass(frozen=True)
class StudyHistory:
    """Labels of a panel's studies, one period a study. `auxiliary` scores have the last letters of a pattern.

    `called` is, by period, the part of the study's items that some classifier called; earlier versions did not count.
    `Study.history()` makes it and the next study takes it; `to_json` and `from_json` keep it in between.

    >>> first = StudyHistory(("lr",), (), (PastLabel("m1", 1, "1", 0.25, "yes", 41.5),))
    >>> StudyHistory.from_json(first.to_json()).verdicts()
    {'m1': 'yes'}
    """

    classifiers: tuple[str, ...]
    auxiliary: tuple[str, ...]
    rows: tuple[PastLabel, ...]
    called: Mapping[int, float] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def period(self) -> int:
        """The latest period; 0 before the first."""
        return max((row.period for row in self.rows), default=0)

    def verdicts(self) -> dict[str, Literal["yes", "no"]]:
        """The latest verdict of every item."""
        return {row.item: row.verdict for row in sorted(self.rows, key=lambda row: row.period)}

    def followed_by(self, rows: Iterable[PastLabel], called: float | None = None) -> "StudyHistory":
        """This history and the labels of one more period, without periods that are too old."""
        together = (*self.rows, *rows)
        last = max((row.period for row in together), default=0)
        kept = tuple(row for row in together if row.period > last - MOST_PERIODS)
        parts = self.called if called is None else {**self.called, self.period + 1: called}
        recent = {period: part for period, part in parts.items() if last - MOST_PERIODS < period <= last}
        return StudyHistory(self.classifiers, self.auxiliary, kept, recent)

    def as_history(self, period: int, present: Sequence[bool], seed: str = "") -> History:
        """The history that a plan reads; `present`, by row, says which items the population still holds.

        `seed` is that of the random numbers which those items have.
        """
        if not self.rows:
            return NO_HISTORY
        first = {row.item: row.period for row in sorted(self.rows, key=lambda row: -row.period)}
        return with_variance_ratios(
            History(
                ages=np.array([period - row.period for row in self.rows], dtype=np.int64),
                patterns=tuple(row.pattern for row in self.rows),
                scores=np.array([np.nan if row.z is None else row.z for row in self.rows], dtype=np.float64),
                positive=np.array([row.verdict == "yes" for row in self.rows], dtype=np.bool_),
                weights=np.array([row.weight for row in self.rows], dtype=np.float64),
                drawable=np.array(present, dtype=np.bool_),
                classifiers=len(self.classifiers),
                first_use=np.array([first[row.item] == row.period for row in self.rows], dtype=np.bool_),
                called={period - before: part for before, part in self.called.items()},
                numbers=np.array(
                    [
                        unit_number(digest(seed, row.item)) if here else np.nan
                        for row, here in zip(self.rows, present, strict=True)
                    ]
                ),
            )
        )

    def of_panel(self, panel: StudyColumns) -> "StudyHistory":
        """This history with letters in the panel's order. Raises where it belongs to another panel."""
        theirs, ours = (self.classifiers, self.auxiliary), (panel.names, panel.auxiliary_names)
        if theirs == ours:
            return self
        if [*map(sorted, theirs)] != [*map(sorted, ours)]:
            raise StratawatchError(
                "the history belongs to another panel",
                expected=_described(*ours),
                got=_described(*theirs),
                hint="a new model, version or cut-off begins a history of its own",
            )
        places = [(self.classifiers + self.auxiliary).index(name) for name in panel.names + panel.auxiliary_names]
        rows = (row._replace(pattern="".join(row.pattern[place] for place in places)) for row in self.rows)
        return StudyHistory(panel.names, panel.auxiliary_names, tuple(rows), self.called)

    def to_frame(self) -> "pd.DataFrame":
        """The labels as a pandas frame."""
        import pandas as pd

        return pd.DataFrame(list(self.rows), columns=list(PastLabel._fields))

    def to_json(self) -> str:
        """The history as text."""
        return json.dumps(self.as_document())

    def as_document(self) -> dict[str, Any]:
        """The history as JSON values."""
        return {
            "format": _FORMAT,
            "classifiers": list(self.classifiers),
            "auxiliary": list(self.auxiliary),
            "rows": [list(row) for row in self.rows],
            "called": {str(period): part for period, part in self.called.items()},
        }

    @classmethod
    def from_json(cls, text: str) -> "StudyHistory":
        """Read what `to_json` wrote."""
        return cls.from_document(parse_saved_json(text, _FORMAT))

    @classmethod
    def from_document(cls, document: dict[str, Any]) -> "StudyHistory":
        """Read what `as_document` gave."""
        with document_errors(_FORMAT):
            rows = tuple(PastLabel(*row) for row in document["rows"])
            called = {int(period): float(part) for period, part in document.get("called", {}).items()}
            return cls(tuple(document["classifiers"]), tuple(document["auxiliary"]), rows, called)


def history_of_panel(history: StudyHistory | None, panel: StudyColumns) -> StudyHistory:
    """An earlier study's history, as this panel reads it; an empty one without any."""
    if history is None:
        return StudyHistory(panel.names, panel.auxiliary_names, ())
    if not isinstance(history, StudyHistory):
        raise StratawatchError(
            "the history cannot be read", expected="what an earlier study's history() gave", got=type(history).__name__
        )
    return history.of_panel(panel)


def parse_saved_json(text: str, format_: str) -> dict[str, Any]:
    """A JSON document of the format_ format."""
    try:
        document = json.loads(text)
    except (TypeError, ValueError) as trouble:
        raise StratawatchError("the text is not JSON", expected=format_, got=f"{text!r:.60}") from trouble
    if not isinstance(document, dict) or document.get("format") != format_:
        got = document.get("format") if isinstance(document, dict) else document
        raise StratawatchError("the text is something else", expected=format_, got=f"{got!r:.60}")
    return document


@contextmanager
def document_errors(format_: str) -> Iterator[None]:
    """Turn the error about a document of the right format that lacks something into one sentence."""
    try:
        yield
    except KeyError as missing:
        raise StratawatchError(
            f"the text lacks {missing}", expected=f"a whole {format_}", hint="give it as to_json() wrote it"
        ) from missing
    except (AttributeError, IndexError, TypeError, ValueError) as trouble:
        raise StratawatchError(
            "the text is damaged",
            expected=f"a whole {format_}",
            got=f"{trouble}"[:120],
            hint="give it as to_json() wrote it",
        ) from trouble


def _described(classifiers: Sequence[str], auxiliary: Sequence[str]) -> str:
    named = f"classifiers {', '.join(classifiers)}"
    return f"{named} with auxiliary {', '.join(auxiliary)}" if auxiliary else named


def past_labels_of_study(
    period: int, population: StudyPopulation, design: FrozenDesign, progress: StudyProgress
) -> list[PastLabel]:
    """A row for every drawn item that is labelled yes or no, in this study or before."""
    verdicts = progress.verdicts
    labelled = [item for item in sorted(progress.drawn) if verdicts.get(item) in ("yes", "no")]
    if not labelled:
        return []
    inclusion = design.inclusion(progress.rounds[-1].plan)
    homes = dict(zip(design.candidates.items, design.candidates.atoms.tolist(), strict=True))
    rows = population.items.rows_of(population.seed, labelled)
    cells = population.patterns.cell[rows].tolist()
    bins = population.patterns.bins[cells].tolist()
    return [
        PastLabel(
            item=item,
            period=period,
            pattern=population.patterns.patterns[cell],
            z=None if bin_ == NO_BIN else centre(bin_),
            verdict="yes" if verdicts[item] == "yes" else "no",
            weight=1 / inclusion[design.atoms[homes[item]].stratum],
        )
        for item, cell, bin_ in zip(labelled, cells, bins, strict=True)
    ]
