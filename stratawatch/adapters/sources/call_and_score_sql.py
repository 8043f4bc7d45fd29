"""SQL expressions of what each classifier and auxiliary score says: its call, its score's flag, and the mean score.

Columns are named by position (call_given_1, score_1, ...), so that no name of the source occurs here. Calls and flags
are codes (see `packed_codes`): 0, 1, 2 or 3 times a unit.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from stratawatch.adapters.sources.column_types import Kind, kind_of
from stratawatch.adapters.sources.packed_codes import INVALID, NULL, SILENT
from stratawatch.adapters.sources.packed_codes import YES as CALLED
from stratawatch.adapters.sources.quoting import number, own_words, text
from stratawatch.answer_words import NO, YES
from stratawatch.engine.model.panel_spec import AuxiliarySpec, ClassifierSpec
from stratawatch.errors import ConfigError

NumberedScorer = tuple[int, ClassifierSpec | AuxiliarySpec]
"""A classifier or an auxiliary score, after its position in the pattern, which begins at 1."""

# By the kind of value that the column of the call holds.
_CALL: Final[dict[str, str]] = {
    "flag": "CASE WHEN {c} IS NULL THEN {silent} WHEN {c} THEN {yes} ELSE 0 END",
    "number": (
        "CASE WHEN {is_missing} THEN {silent} WHEN {c} - {c} = 0 AND {c} = 1 THEN {yes} "
        "WHEN {c} - {c} = 0 AND {c} = 0 THEN 0 ELSE {invalid} END"
    ),
    "text": (
        f"CASE WHEN {{is_missing}} THEN {{silent}} WHEN LOWER(TRIM({{c}})) IN ({own_words(YES)}) THEN {{yes}} "
        f"WHEN LOWER(TRIM({{c}})) IN ({own_words(NO)}) THEN 0 ELSE {{invalid}} END"
    ),
}
# The same where the configuration has the value that means yes.
_CALL_BY_VALUE: Final[dict[str, str]] = {
    "number": (
        "CASE WHEN {is_missing} THEN {silent} WHEN {c} - {c} = 0 AND {c} = {value} THEN {yes} "
        "WHEN {c} - {c} = 0 THEN 0 ELSE {invalid} END"
    ),
    # Compared by bytes, for the column may have a collation to which Block is block. The text NaN is a value too.
    "text": 'CASE WHEN {c} IS NULL THEN {silent} WHEN {c} COLLATE "C" = {value} THEN {yes} ELSE 0 END',
}
_CALL_BY_CUT_OFF: Final = (
    "CASE WHEN {is_missing} THEN {silent} WHEN {is_valid} AND score_{i} >= {cut_off} THEN {yes} "
    "WHEN {is_valid} THEN 0 ELSE {invalid} END"
)
_AUXILIARY_CALL: Final = (
    "CASE WHEN {is_valid} AND probability_{i} >= 0.5 THEN {yes} WHEN {is_valid} THEN 0 ELSE {silent} END"
)
_SCORE_FLAG: Final = "CASE WHEN {is_valid} THEN 0 WHEN {is_missing} THEN {null} ELSE {invalid} END"
# NaN is what data frames write for null. ISNAN would not do: DuckDB folds it by the statistics of a Parquet file, and
# NOT x - x = 0 too where they say that all values are the same.
_NOT_A_NUMBER: Final = "CASE WHEN {c} - {c} = 0 THEN FALSE ELSE NOT ABS({c}) = CAST('Infinity' AS DOUBLE) END"
_NOT_A_NUMBER_UNBOUNDED: Final = "ISNAN({c})"
_NOT_A_NUMBER_TEXT: Final = "LOWER(TRIM({c})) IN ('nan', '+nan', '-nan')"
# x - x = 0 holds for finite numbers only. Comparisons alone would not do: the statistics of a Parquet file leave NaN
# out, and DuckDB drops a comparison that they seem to prove.
_IS_VALID: Final = {
    "probability": "(score_{i} - score_{i} = 0 AND score_{i} >= 0 AND score_{i} <= 1)",
    "margin": "(score_{i} - score_{i} = 0)",
}
_AS_PROBABILITY: Final = {
    "probability": "score_{i}",
    # Beyond 700 the logistic function is 0 or 1 to the last bin, and some engines refuse exp of more.
    # LEAST and GREATEST pass over a NULL, on some engines.
    "margin": "CASE WHEN NOT score_{i} IS NULL THEN 1 / (1 + EXP(-LEAST(GREATEST(score_{i}, -700), 700))) END",
}


UNBOUNDED: Final = "NUMERIC"
"""Numbers of any size, which only PostgreSQL has; it refuses to cast what no double holds."""
_WITH_NAN: Final = ("FLOAT", "REAL", "DOUBLE", "DOUBLE PRECISION")
_UNBOUNDED_AS_DOUBLE: Final = (
    "CASE WHEN ABS({c}) < 1E-300 THEN CAST(0 AS DOUBLE) WHEN ABS({c}) < 1E+300 THEN CAST({c} AS DOUBLE) END"
)


def score_as_double(position: int, type_name: str) -> str:
    """A score as a double, NULL where it is missing.

    Text that is no number becomes NULL beside a given value that is not missing, and so is flagged as invalid.
    """
    if kind_of(type_name) == "text":
        cast = "TRY_CAST(TRIM({c}) AS DOUBLE)"
    else:
        cast = _UNBOUNDED_AS_DOUBLE if type_name == UNBOUNDED else "CAST({c} AS DOUBLE)"
    nan = _not_a_number(type_name)
    return (f"CASE WHEN NOT {nan} THEN {cast} END" if nan else cast).format(c=f"score_given_{position}")


def _not_a_number(type_name: str) -> str:
    """The condition that a value of this type is NaN; empty where the type has none."""
    if kind_of(type_name) == "text":
        return _NOT_A_NUMBER_TEXT
    if type_name == UNBOUNDED:
        return _NOT_A_NUMBER_UNBOUNDED
    return _NOT_A_NUMBER if type_name.upper() in _WITH_NAN else ""


def _is_missing(given: str, type_name: str) -> str:
    """The condition that there is no score, or no call, in a column of this type: null or NaN."""
    nan = _not_a_number(type_name)
    return f"({given} IS NULL OR {nan.format(c=given)})" if nan else f"{given} IS NULL"


def as_probability(position: int, scorer: ClassifierSpec | AuxiliarySpec) -> str:
    """The score on the scale of a probability: itself, or the logistic function of a margin."""
    return _AS_PROBABILITY[scorer.score_kind].format(i=position)


def call(position: int, classifier: ClassifierSpec, types: Mapping[str, str], unit: int) -> str:
    """The code of the classifier's call: 1 yes, 0 no, 2 no call, 3 unreadable."""
    codes = {"yes": CALLED * unit, "silent": SILENT * unit, "invalid": INVALID * unit}
    if classifier.call is not None:
        kind: Kind = kind_of(types[classifier.call])
        column = f"call_given_{position}"
        column = f"CAST({column} AS VARCHAR)" if kind == "text" else column
        is_missing = _is_missing(column, types[classifier.call])
        if classifier.call_yes is None:
            return _CALL[kind].format(c=column, is_missing=is_missing, **codes)
        literal = (text if kind == "text" else number)(classifier.call_yes)
        return _CALL_BY_VALUE[kind].format(c=column, is_missing=is_missing, value=literal, **codes)
    if classifier.score is None or classifier.cut_off is None:
        raise ConfigError(
            f"classifier '{classifier.name}' makes no call", expected="a call column, or a score column with a cut_off"
        )
    cut_off = f"CAST({text(repr(float(classifier.cut_off)))} AS DOUBLE)"
    is_missing = _is_missing(f"score_given_{position}", types[classifier.score])
    is_valid = _is_valid(position, classifier)
    return _CALL_BY_CUT_OFF.format(i=position, cut_off=cut_off, is_valid=is_valid, is_missing=is_missing, **codes)


def auxiliary_call(position: int, auxiliary: AuxiliarySpec, unit: int) -> str:
    """The code of an auxiliary score in the pattern: 1 from one half on, 0 below, 2 where it cannot be read."""
    return _AUXILIARY_CALL.format(
        i=position, is_valid=_is_valid(position, auxiliary), yes=CALLED * unit, silent=SILENT * unit
    )


def score_flag(position: int, classifier: ClassifierSpec, types: Mapping[str, str], unit: int) -> str:
    """The flag of a classifier's score: 0 valid, or no score column; 1 missing; 3 unreadable or out of range."""
    if classifier.score is None:
        return "0"
    is_missing = _is_missing(f"score_given_{position}", types[classifier.score])
    is_valid = _is_valid(position, classifier)
    return _SCORE_FLAG.format(is_valid=is_valid, is_missing=is_missing, null=NULL * unit, invalid=INVALID * unit)


def total_score(scorers: Sequence[NumberedScorer]) -> str:
    """The sum of the scores as probabilities, in the panel's order; NULL where one is missing."""
    return " + ".join(f"probability_{i}" for i, _ in scorers) if scorers else "CAST(0 AS DOUBLE)"


def is_clean(row_conditions: Sequence[str], scorers: Sequence[NumberedScorer]) -> str:
    """Whether a row needs no closer look: the conditions on the row hold, and every score is there and valid."""
    conditions = ["total_score - total_score = 0"]
    for i, scorer in scorers:
        bounded = scorer.score_kind == "probability"
        # A finite total says that every probability is finite; the probability of a margin is, whatever the margin.
        conditions.append(f"score_{i} >= 0 AND score_{i} <= 1" if bounded else f"score_{i} - score_{i} = 0")
    return " AND ".join([*conditions, *row_conditions])


def mean_score(scorers: Sequence[NumberedScorer], auxiliary: Sequence[NumberedScorer], all_valid: str) -> str:
    """The mean of the classifiers' scores as probabilities; only where none has a score, that of the auxiliary scores.

    `all_valid` is a condition under which no classifier's score is invalid. NULL when there is no score at all.
    """
    means = []
    if scorers:
        total = " + ".join(f"COALESCE(probability_{i}, 0)" for i, _ in scorers)
        number = " + ".join(f"CASE WHEN probability_{i} IS NULL THEN 0 ELSE 1 END" for i, _ in scorers)
        means.append(
            f"CASE WHEN is_clean THEN total_score / {len(scorers)} "
            f"WHEN {all_valid} THEN ({total}) / NULLIF({number}, 0) ELSE {_mean_of_valid(scorers)} END"
        )
    if auxiliary:
        means.append(_mean_of_valid(auxiliary))
    if not means:
        return "CAST(NULL AS DOUBLE)"
    return means[0] if len(means) == 1 else f"COALESCE({', '.join(means)})"


def _mean_of_valid(scorers: Sequence[NumberedScorer]) -> str:
    """The mean of the valid scores as probabilities, added in the panel's order; NULL when there is none."""
    total = " + ".join(f"CASE WHEN {_is_valid(i, scorer)} THEN probability_{i} ELSE 0 END" for i, scorer in scorers)
    number = " + ".join(f"CASE WHEN {_is_valid(i, scorer)} THEN 1 ELSE 0 END" for i, scorer in scorers)
    return f"({total}) / NULLIF({number}, 0)"


def _is_valid(position: int, scorer: ClassifierSpec | AuxiliarySpec) -> str:
    return _IS_VALID[scorer.score_kind].format(i=position)
