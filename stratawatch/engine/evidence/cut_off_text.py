"""Tried cut-offs in words: a line of a page, and rows of a table for the terminal and the report."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import floor, log, log10
from typing import Final

from stratawatch.core.alarms.cut_offs import CutOff, CutOffChoice, LimitLine
from stratawatch.core.alarms.error_shares import error_share
from stratawatch.core.alarms.moved import ValueInterval
from stratawatch.core.estimate import Undefined
from stratawatch.core.metrics import metric_named
from stratawatch.engine.evidence.tried_cut_offs import TriedCutOffs
from stratawatch.engine.model.panel_spec import ClassifierSpec
from stratawatch.formatting import count, count_text, estimate_text, percent

NOT_APPLIED: Final = "nothing is applied: a new cut-off is another classifier"
_DIGITS: Final = 4


@dataclass(frozen=True)
class CutOffRow:
    """One cut-off, in words; `values_by_title` are of the limit's metric, precision and recall, by their titles."""

    cut_off: str
    values_by_title: dict[str, str]
    flags: str
    labels: int
    is_suggested: bool


def cut_off_line(tried: TriedCutOffs, unit: str) -> Iterator[str]:
    """What a page says: the cut-off that would hold the limit, that there is none, or why old windows tell of none.

    `unit` is what a window is called.
    """
    choice, head = tried.choice, f"Cut-offs of {tried.classifier.name}"
    if isinstance(choice, Undefined):
        if tried.is_worth_telling:
            yield f"{head}: none can be tried, {choice.reason}."
        return
    suggested = choice.suggested
    if suggested is None:
        number = count_text(len(choice.others) + 1, "cut-off")
        yield f"{head}: none of {number} that were tried would hold {limit_text(choice.limit)}."
    elif suggested.score is not None:
        score = own_scale(tried.classifier, suggested.score)
        on = f" (mean of {count_text(tried.windows, unit)})" if tried.windows > 1 else ""
        calls, now = count(round(suggested.calls.value)), count(round(choice.in_use.calls.value))
        shares = [error_share(name).brief(found) for name, found in _shown(choice, suggested).items()]
        told = ", ".join([*shares, f"about {calls} flags a {unit} ({now} with the one in use)"])
        yield f"Stopgap, not applied{on}: cut-off {score} of {tried.classifier.name} gives {told}{_price(tried)}."


def cut_off_rows(tried: TriedCutOffs) -> list[CutOffRow]:
    """The cut-off in use, then the others from the lowest to the highest; none where none could be tried."""
    choice = tried.choice
    if isinstance(choice, Undefined):
        return []
    ordered = sorted(choice.others, key=lambda one: one.score or 0.0)
    return [_row(tried.classifier, choice, one) for one in (choice.in_use, *ordered)]


def cut_off_in_words(rows: Sequence[CutOffRow]) -> str:
    """One of the rows in a sentence, which says how to read them."""
    row = rows[min(1, len(rows) - 1)]
    values = " and ".join(f"a {title} of {value}" for title, value in row.values_by_title.items())
    number = count_text(row.labels, "label")
    if row is rows[0]:
        return f"the cut-off in use has {values}, by {number} among what it flags"
    return f"a cut-off of {row.cut_off} would have had {values}, by {number} among what it flags"


def tried_text(tried: TriedCutOffs) -> str:
    """What was tried, on what, that nobody applies it, and how values compare with a window's; or why nothing was."""
    choice = tried.choice
    if isinstance(choice, Undefined):
        return f"No cut-off of {tried.classifier.name} can be tried: {choice.reason}."
    line, suggested = limit_text(choice.limit), choice.suggested
    if suggested is None:
        found = f"none of them would have held {line}"
    elif suggested.score is None:
        found = f"the one in use holds {line} in all of them together"
    else:
        found = f"suggested is the nearest that would have held {line}{_price(tried)}"
    on = count_text(tried.windows, "window")
    return f"Tried on the labels of {on} since it began: {found}; {NOT_APPLIED}. {_computed(tried.windows)}."


def _computed(windows: int) -> str:
    """Why the values of a table are not those of the scorecard: it estimates each window for itself, and by strata."""
    if windows == 1:
        return "Values are computed in another way than the scorecard's"
    return f"Values are pooled over these {windows} windows, and computed in another way than the scorecard's"


def _price(tried: TriedCutOffs) -> str:
    """The other limits of the classifier that the suggested cut-off would break; empty where it breaks none."""
    suggested = None if isinstance(tried.choice, Undefined) else tried.choice.suggested
    if suggested is None:
        return ""
    known = {"precision": suggested.precision, "recall": suggested.recall}
    broken = [
        f"{metric_named(one.metric).title} would be {percent(value)}, {'below' if one.is_floor else 'above'} "
        f"its {'floor' if one.is_floor else 'ceiling'} of {percent(one.value)}"
        for one in tried.other_limits
        if one.metric in known and not one.is_held_by(value := known[one.metric].value)
    ]
    return f", but {' and '.join(broken)}" if broken else ""


def limit_text(limit: LimitLine) -> str:
    """The end of a limit that a cut-off has to hold, in words.

    >>> limit_text(LimitLine("precision", 0.788))
    'the floor of 78.8% of precision'
    """
    end = "floor" if limit.is_floor else "ceiling"
    return f"the {end} of {percent(limit.value)} of {metric_named(limit.metric).title}"


def on_own_scale(classifier: ClassifierSpec, score: float) -> float:
    """A cut-off on the scale of the classifier's scores: the margin of a probability is its logit."""
    return score if classifier.score_kind == "probability" else log(score / (1 - score))


def own_scale(classifier: ClassifierSpec, score: float) -> str:
    """A cut-off on the scale of the classifier's scores in words, in as many digits as tell it from 0 and from 1.

    >>> own_scale(ClassifierSpec("lr", "score"), 0.6171875), own_scale(ClassifierSpec("lr", "score"), 1 - 2**-15)
    ('0.6172', '0.99996948')
    >>> own_scale(ClassifierSpec("svm", "score", "margin"), 0.75)
    '1.099'
    """
    if classifier.score_kind == "margin":
        return f"{on_own_scale(classifier, score):.{_DIGITS}g}"
    return f"{score:.{_DIGITS - 1 - floor(log10(min(score, 1 - score)))}f}".rstrip("0")


def _row(classifier: ClassifierSpec, choice: CutOffChoice, one: CutOff) -> CutOffRow:
    calls = tuple(count(round(number)) for number in (one.calls.value, one.calls.low, one.calls.high))
    return CutOffRow(
        cut_off=_name(classifier, one),
        values_by_title=_values(choice, one),
        flags=calls[0] if one.score is None else f"{calls[0]} ({calls[1]} to {calls[2]})",
        labels=one.labels,
        is_suggested=one is choice.suggested,
    )


def _name(classifier: ClassifierSpec, one: CutOff) -> str:
    if one.score is not None:
        return own_scale(classifier, one.score)
    known = classifier.call is None and classifier.cut_off is not None
    return f"{classifier.cut_off:g}, in use" if known else "in use"


def _values(choice: CutOffChoice, one: CutOff) -> dict[str, str]:
    return {metric_named(name).title: _estimate(found) for name, found in _shown(choice, one).items()}


def _shown(choice: CutOffChoice, one: CutOff) -> dict[str, ValueInterval]:
    return {choice.limit.metric: one.value, "precision": one.precision, "recall": one.recall}


def _estimate(one: ValueInterval) -> str:
    return estimate_text(one.value, one.low, one.high)
