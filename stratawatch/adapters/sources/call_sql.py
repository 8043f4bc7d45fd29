"""What each classifier and each auxiliary score said, as SQL: its letter, its mark, its score, and z, the mean score.

Columns are named by position (call_given_1, score_1, ...), so that no name of the source occurs here. Letters and marks
are codes (see `words`): 0, 1, 2 or 3 times a unit.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from stratawatch.adapters.sources.column_types import Kind, kind_of
from stratawatch.adapters.sources.packed_codes import BAD, NULL, SILENT, YES
from stratawatch.adapters.sources.quoting import text
from stratawatch.engine.model.panel_spec import AuxiliarySpec, ClassifierSpec
from stratawatch.errors import ConfigError

Speaker = tuple[int, ClassifierSpec | AuxiliarySpec]
"""A position and who has it."""

_CALL: Final[dict[str, str]] = {
    "flag": "CASE WHEN {c} IS NULL THEN {silent} WHEN {c} THEN {yes} ELSE 0 END",
    "number": (
        "CASE WHEN {c} IS NULL THEN {silent} WHEN {c} - {c} = 0 AND {c} = 1 THEN {yes} "
        "WHEN {c} - {c} = 0 AND {c} = 0 THEN 0 ELSE {bad} END"
    ),
    # CSV has only text: 1.0 is how a float column writes its ones.
    "text": (
        "CASE WHEN {c} IS NULL THEN {silent} WHEN LOWER(TRIM({c})) IN ('1', '1.0', 'true') THEN {yes} "
        "WHEN LOWER(TRIM({c})) IN ('0', '0.0', 'false') THEN 0 ELSE {bad} END"
    ),
}
_CUT: Final = (
    "CASE WHEN score_given_{i} IS NULL THEN {silent} WHEN {sound} AND score_{i} >= {cut} THEN {yes} "
    "WHEN {sound} THEN 0 ELSE {bad} END"
)
_LEANING: Final = "CASE WHEN {sound} AND linked_{i} >= 0.5 THEN {yes} WHEN {sound} THEN 0 ELSE {silent} END"
_MARK: Final = "CASE WHEN {sound} THEN 0 WHEN score_given_{i} IS NULL THEN {null} ELSE {bad} END"
# x - x = 0 holds for finite numbers only. Comparisons alone would not do: the statistics of a Parquet file leave NaN
# out, and DuckDB drops a comparison that they seem to prove.
_SOUND: Final = {
    "probability": "(score_{i} - score_{i} = 0 AND score_{i} >= 0 AND score_{i} <= 1)",
    "margin": "(score_{i} - score_{i} = 0)",
}
_LINKED: Final = {
    "probability": "score_{i}",
    # Beyond 700 the logistic function is 0 or 1 to the last bin, and some engines refuse exp of more.
    # LEAST and GREATEST pass over a NULL, on some engines.
    "margin": "CASE WHEN NOT score_{i} IS NULL THEN 1 / (1 + EXP(-LEAST(GREATEST(score_{i}, -700), 700))) END",
}


UNBOUNDED: Final = "NUMERIC"
"""Numbers of any size, which only PostgreSQL has; it refuses to cast what no double holds."""
_UNBOUNDED: Final = (
    "CASE WHEN ABS({c}) < 1E-300 THEN CAST(0 AS DOUBLE) WHEN ABS({c}) < 1E+300 THEN CAST({c} AS DOUBLE) END"
)


def score_value(position: int, type_name: str) -> str:
    """A score as a double; text that is no number becomes NULL beside a given value, and so is marked."""
    if kind_of(type_name) == "text":
        cast = "TRY_CAST(TRIM({c}) AS DOUBLE)"
    else:
        cast = _UNBOUNDED if type_name == UNBOUNDED else "CAST({c} AS DOUBLE)"
    return cast.format(c=f"score_given_{position}")


def linked(position: int, one: ClassifierSpec | AuxiliarySpec) -> str:
    """The score on the scale of a probability."""
    return _LINKED[one.score_kind].format(i=position)


def letter(position: int, one: ClassifierSpec, types: Mapping[str, str], unit: int) -> str:
    """The classifier's letter in the pattern: 1 yes, 0 no, 2 did not say, 3 unreadable."""
    codes = {"yes": YES * unit, "silent": SILENT * unit, "bad": BAD * unit}
    if one.call is not None:
        kind: Kind = kind_of(types[one.call])
        column = f"call_given_{position}"
        return _CALL[kind].format(c=f"CAST({column} AS VARCHAR)" if kind == "text" else column, **codes)
    if one.score is None or one.cut_off is None:
        raise ConfigError(
            f"classifier '{one.name}' makes no call",
            expected="a positive column, or a score column with a cut_off",
        )
    cut = f"CAST({text(repr(float(one.cut_off)))} AS DOUBLE)"
    return _CUT.format(i=position, cut=cut, sound=_sound(position, one), **codes)


def leaning(position: int, one: AuxiliarySpec, unit: int) -> str:
    """The auxiliary score's letter: 1 from one half on, 0 below, 2 where it says nothing that can be read."""
    return _LEANING.format(i=position, sound=_sound(position, one), yes=YES * unit, silent=SILENT * unit)


def mark(position: int, one: ClassifierSpec, unit: int) -> str:
    """The mark of a classifier's score: 0 valid, or no score column; 1 null; 3 missing or out of range."""
    if one.score is None:
        return "0"
    return _MARK.format(i=position, sound=_sound(position, one), null=NULL * unit, bad=BAD * unit)


def total(scoring: Sequence[Speaker]) -> str:
    """The sum of the linked scores, in the panel's order; NULL where one is missing."""
    return " + ".join(f"linked_{i}" for i, _ in scoring) if scoring else "CAST(0 AS DOUBLE)"


def plain(row: Sequence[str], scoring: Sequence[Speaker]) -> str:
    """Whether nothing about a row needs a closer look: `row` holds, and every score is there and valid."""
    conditions = ["total - total = 0"]
    for i, one in scoring:
        bounded = one.score_kind == "probability"
        # That the total is finite says that a probability is; a margin's link is finite whatever the margin.
        conditions.append(f"score_{i} >= 0 AND score_{i} <= 1" if bounded else f"score_{i} - score_{i} = 0")
    return " AND ".join([*conditions, *row])


def mean(scoring: Sequence[Speaker], helpers: Sequence[Speaker], readable: str) -> str:
    """The mean of the classifiers' linked scores; only where none of them has one, that of the auxiliary scores.

    `readable` is true only where no classifier's score is invalid. NULL when there is no score at all.
    """
    means = []
    if scoring:
        there = " + ".join(f"COALESCE(linked_{i}, 0)" for i, _ in scoring)
        number = " + ".join(f"CASE WHEN linked_{i} IS NULL THEN 0 ELSE 1 END" for i, _ in scoring)
        means.append(
            f"CASE WHEN plain THEN total / {len(scoring)} WHEN {readable} THEN ({there}) / NULLIF({number}, 0) "
            f"ELSE {_mean(scoring)} END"
        )
    if helpers:
        means.append(_mean(helpers))
    if not means:
        return "CAST(NULL AS DOUBLE)"
    return means[0] if len(means) == 1 else f"COALESCE({', '.join(means)})"


def _mean(scored: Sequence[Speaker]) -> str:
    """The mean of the valid linked scores, added in the panel's order; NULL when there is none."""
    sum_ = " + ".join(f"CASE WHEN {_sound(i, one)} THEN linked_{i} ELSE 0 END" for i, one in scored)
    number = " + ".join(f"CASE WHEN {_sound(i, one)} THEN 1 ELSE 0 END" for i, one in scored)
    return f"({sum_}) / NULLIF({number}, 0)"


def _sound(position: int, one: ClassifierSpec | AuxiliarySpec) -> str:
    return _SOUND[one.score_kind].format(i=position)
