"""The columns of a frame that hold the calls and scores of classifiers, and the auxiliary scores."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, get_args

from stratawatch.core.score_bins import ScoreKind
from stratawatch.errors import StratawatchError

MOST_LETTERS: Final = 30
"""Classifiers and auxiliary scores together; a pattern of more does not fit the number that stands for it."""

ScoreKinds = ScoreKind | Mapping[str, ScoreKind] | None


@dataclass(frozen=True)
class Scorer:
    """A classifier, or an auxiliary score (`call` None: it leans to yes from one half up)."""

    name: str
    score: str | None
    call: str | None
    kind: ScoreKind = "probability"


@dataclass(frozen=True)
class StudyColumns:
    """The columns that a study reads: items, classifiers, auxiliary scores, segments, clusters."""

    item: str
    classifiers: tuple[Scorer, ...]
    auxiliary: tuple[Scorer, ...] = ()
    segments: tuple[str, ...] = ()
    cluster: str | None = None

    @property
    def scorers(self) -> tuple[Scorer, ...]:
        """Everyone with a letter in the pattern, in its order."""
        return self.classifiers + self.auxiliary

    @property
    def names(self) -> tuple[str, ...]:
        """The classifiers, in the pattern's order."""
        return tuple(scorer.name for scorer in self.classifiers)

    @property
    def auxiliary_names(self) -> tuple[str, ...]:
        """The auxiliary scores, in the pattern's order."""
        return tuple(scorer.name for scorer in self.auxiliary)


def columns_from_arguments(
    item: str,
    classifiers: Mapping[str, tuple[str | None, str]],
    auxiliary: Iterable[str],
    segments: Iterable[str],
    score_kind: ScoreKinds,
    cluster: str | None = None,
) -> StudyColumns:
    """The columns that were named to a study, checked as far as that is possible without the frame."""
    if not isinstance(classifiers, Mapping) or not classifiers:
        raise StratawatchError(
            "a study needs classifiers",
            expected='{"name": ("score column or None", "column of calls")}',
            got=f"{classifiers!r:.60}",
        )
    nameless = [name for name in classifiers if not isinstance(name, str) or not name.strip()]
    if nameless:
        raise StratawatchError("a classifier has no name", expected="a word", got=f"{nameless[0]!r:.40}")
    auxiliary_names = _names(auxiliary, "auxiliary")
    kind = _kinds(score_kind, [*classifiers, *auxiliary_names])
    scorers = tuple(Scorer(name, *_pair(name, columns), kind[name]) for name, columns in classifiers.items())
    leaning = tuple(Scorer(name, name, None, kind[name]) for name in auxiliary_names)
    both = {scorer.name for scorer in scorers} & set(auxiliary_names)
    if both:
        raise StratawatchError(f"{min(both)!r} is a classifier and an auxiliary score", expected="one of the two")
    owner = {column: scorer.name for scorer in scorers for column in (scorer.score, scorer.call)}
    own = [name for name in auxiliary_names if name in owner]
    if own:
        raise StratawatchError(
            f"the auxiliary score {own[0]!r} is a column of classifier {owner[own[0]]!r}",
            hint="leave it out: columns of classifiers guide the design anyway",
        )
    if len(scorers + leaning) > MOST_LETTERS:
        raise StratawatchError(
            "the panel is too large", expected=f"at most {MOST_LETTERS} classifiers and auxiliary scores"
        )
    return StudyColumns(item, scorers, leaning, _names(segments, "segments"), cluster)


def _pair(name: str, columns: Any) -> tuple[str | None, str]:
    if isinstance(columns, (tuple, list)) and len(columns) == 2 and columns[1] is not None:
        return columns[0], columns[1]
    raise StratawatchError(
        f"classifier {name!r} is not described",
        expected="(score column or None, column of calls)",
        got=f"{columns!r:.60}",
    )


def _names(given: Iterable[str], what: str) -> tuple[str, ...]:
    if isinstance(given, str):
        raise StratawatchError(f"{what} is one word", expected="a list of column names", hint=f"say [{given!r}]")
    names = tuple(given)
    if len(set(names)) < len(names):
        raise StratawatchError(f"{what} names a column twice", expected="every column once")
    return names


def _kinds(given: ScoreKinds, names: list[str]) -> dict[str, ScoreKind]:
    kinds: Mapping[str, Any] = given if isinstance(given, Mapping) else {}
    strangers = [name for name in kinds if name not in names]
    if strangers:
        raise StratawatchError(f"score_kind names {strangers[0]!r}", expected=f"one of {', '.join(names)}")
    usual = "probability" if given is None or isinstance(given, Mapping) else given
    found = {name: kinds.get(name, usual) for name in names}
    for name, kind in found.items():
        if kind not in get_args(ScoreKind):
            raise StratawatchError(
                f"the score_kind of {name!r} is {kind!r:.40}", expected=" or ".join(map(repr, get_args(ScoreKind)))
            )
    return found
