"""What each classifier and each auxiliary score said, as SQL: its letter, its score, and z, the mean score.

Columns are named by position (call_1, score_1, ...), so that no name of the source occurs here.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from stratawatch.adapters.sources.column_types import Kind, kind_of
from stratawatch.adapters.sources.quoting import text
from stratawatch.engine.records import AuxiliarySpec, ClassifierSpec
from stratawatch.errors import ConfigError

_CALL: Final[dict[str, str]] = {
    "flag": "CASE WHEN {c} IS NULL THEN '-' WHEN {c} THEN '1' ELSE '0' END",
    "number": (
        "CASE WHEN {c} IS NULL THEN '-' WHEN {c} - {c} = 0 AND {c} = 1 THEN '1' "
        "WHEN {c} - {c} = 0 AND {c} = 0 THEN '0' ELSE '!' END"
    ),
    # CSV has only text: 1.0 is how a float column writes its ones.
    "text": (
        "CASE WHEN {c} IS NULL THEN '-' WHEN LOWER(TRIM({c})) IN ('1', '1.0', 'true') THEN '1' "
        "WHEN LOWER(TRIM({c})) IN ('0', '0.0', 'false') THEN '0' ELSE '!' END"
    ),
}
_CUT: Final = (
    "CASE WHEN score_given_{i} IS NULL THEN '-' WHEN {sound} AND score_{i} >= {cut} THEN '1' "
    "WHEN {sound} THEN '0' ELSE '!' END"
)
_LEANING: Final = "CASE WHEN {sound} AND {linked} >= 0.5 THEN '1' WHEN {sound} THEN '0' ELSE '-' END"
_MARK: Final = "CASE WHEN fine_{i} THEN 'v' WHEN score_given_{i} IS NULL THEN '-' ELSE '!' END"
# x - x = 0 holds for finite numbers only. Comparisons alone would not do: the statistics of a Parquet file leave NaN
# out, and DuckDB drops a comparison that they seem to prove.
_SOUND: Final = {
    "probability": "(score_{i} - score_{i} = 0 AND score_{i} >= 0 AND score_{i} <= 1)",
    "margin": "(score_{i} - score_{i} = 0)",
}
_LINKED: Final = {
    "probability": "score_{i}",
    # Beyond 700 the logistic function is 0 or 1 to the last bin, and some engines refuse exp of more.
    "margin": "1 / (1 + EXP(-LEAST(GREATEST(score_{i}, -700), 700)))",
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


def letter(position: int, one: ClassifierSpec, types: Mapping[str, str]) -> str:
    """The classifier's letter in the pattern: 1, 0, - (did not say) or ! (unreadable)."""
    if one.positive is not None:
        kind: Kind = kind_of(types[one.positive])
        column = f"call_given_{position}"
        return _CALL[kind].format(c=f"CAST({column} AS VARCHAR)" if kind == "text" else column)
    if one.score is None or one.cut_off is None:
        raise ConfigError(
            f"classifier '{one.name}' makes no call",
            expected="a positive column, or a score column with a cut_off",
        )
    cut = f"CAST({text(repr(float(one.cut_off)))} AS DOUBLE)"
    return _CUT.format(i=position, cut=cut, sound=_sound(position, one))


def leaning(position: int, one: AuxiliarySpec) -> str:
    """The auxiliary score's letter: 1 from one half on, 0 below, - where it says nothing that can be read."""
    link = _LINKED[one.score_kind].format(i=position)
    return _LEANING.format(sound=_sound(position, one), linked=link)


def pattern(letters: Sequence[str]) -> str:
    """All letters in one text; most items are called negative by everybody."""
    nobody = " AND ".join(f"{one} = '0'" for one in letters)
    return f"CASE WHEN {nobody} THEN '{'0' * len(letters)}' ELSE {' || '.join(letters)} END"


def fine(position: int, one: ClassifierSpec | AuxiliarySpec) -> str:
    """Whether there is a valid score; NULL where there is none."""
    return _sound(position, one)


def marks(row: Sequence[str], many: Sequence[ClassifierSpec]) -> str:
    """The marks of the row itself, then one a classifier: v (valid), - (null), ! (invalid) or . (no score column)."""
    usual = "." * len(row) + "".join("." if one.score is None else "v" for one in many)
    plainly = [f"{mark} = '.'" for mark in row]
    plainly += [f"fine_{i}" for i, one in enumerate(many, 1) if one.score is not None]
    spelled = [*row, *(_mark(i, one) for i, one in enumerate(many, 1))]
    return f"CASE WHEN {' AND '.join(plainly)} THEN '{usual}' ELSE {' || '.join(spelled)} END"


def mean(classifiers: Sequence[tuple[int, ClassifierSpec]], helpers: Sequence[tuple[int, AuxiliarySpec]]) -> str:
    """The mean of the classifiers' linked scores; only where none of them has one, that of the auxiliary scores.

    NULL when there is none at all.
    """
    means = [_mean(scored) for scored in (classifiers, helpers) if scored]
    if not means:
        return "CAST(NULL AS DOUBLE)"
    return means[0] if len(means) == 1 else f"COALESCE({', '.join(means)})"


def _mean(scored: Sequence[tuple[int, ClassifierSpec | AuxiliarySpec]]) -> str:
    """The mean of the linked scores that are there, added in the panel's order; NULL when there is none."""
    if len(scored) == 1:
        ((i, one),) = scored
        return f"CASE WHEN fine_{i} THEN {_link(i, one)} END"
    everyone = " AND ".join(f"fine_{i}" for i, _ in scored)
    all_of_them = " + ".join(_link(i, one) for i, one in scored)
    total = " + ".join(f"CASE WHEN fine_{i} THEN {_link(i, one)} ELSE 0 END" for i, one in scored)
    number = " + ".join(f"CASE WHEN fine_{i} THEN 1 ELSE 0 END" for i, _ in scored)
    return f"CASE WHEN {everyone} THEN ({all_of_them}) / {len(scored)} ELSE ({total}) / NULLIF({number}, 0) END"


def _mark(position: int, one: ClassifierSpec) -> str:
    return _MARK.format(i=position) if one.score is not None else "'.'"


def _link(position: int, one: ClassifierSpec | AuxiliarySpec) -> str:
    """The score on the scale of a probability."""
    return _LINKED[one.score_kind].format(i=position)


def _sound(position: int, one: ClassifierSpec | AuxiliarySpec) -> str:
    return _SOUND[one.score_kind].format(i=position)
