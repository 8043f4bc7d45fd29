"""Classifiers from scores and calls: which belong together, and what each is called."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from stratawatch.adapters.sources.column_summary import Separation
from stratawatch.config.proposals.answers import cut_off_score
from stratawatch.config.proposals.class_scores import ClassScores, call_value
from stratawatch.config.proposals.column_names import plain_name, stem
from stratawatch.config.proposals.proposal import Choices, ProposedClassifier, TableFacts, Unsure
from stratawatch.config.proposals.scores import ScoreColumn
from stratawatch.config.proposals.yes_values import yes_value
from stratawatch.engine.input.score_scale import looks_like_percentages
from stratawatch.engine.model.panel_spec import ScoreKind

_LARGEST_PROBABILITY: Final = 1.1
"""Of a long table's scores that are never negative: a few above 1 may be bad rows of a probability."""


@dataclass
class Classifiers:
    """Classifiers, and what is to be said and asked of them."""

    found: list[ProposedClassifier] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    unsure: list[Unsure] = field(default_factory=list)


def paired_classifiers(
    facts: TableFacts, choices: Choices, scores: Sequence[ScoreColumn], calls: Sequence[str]
) -> Classifiers:
    """A classifier for each score and call that belong together, and for each that is alone."""
    result, free = Classifiers(), list(calls)
    for score in scores:
        call = _call_for(facts, score, scores, free, calls)
        if call is None:
            result.found.append(_with_cut_off(facts, score, result.remarks))
        else:
            free.remove(call)
            result.found.append(_with_call(facts, choices, score, call, result))
    result.found += [_with_call(facts, choices, None, call, result) for call in free]
    result.found = _named_apart(result.found)
    return result


def classifiers_of_class(facts: TableFacts, models: Sequence[ClassScores], name: str) -> list[ProposedClassifier]:
    """What each model says about one class."""
    found = []
    for model in models:
        score, yes = model.scores.get(name), call_value(facts, model.call, name)
        if score is None:
            continue
        call, cut_off = (model.call, None) if yes is not None else (None, score.cut_off)
        found.append(ProposedClassifier(model.model, score.name, score.kind, cut_off, call, yes))
    return _named_apart(found)


def long_classifiers(
    facts: TableFacts, choices: Choices, scorer: str, scores: Sequence[ScoreColumn], calls: Sequence[str]
) -> Classifiers:
    """A classifier for each value of the column that says whose row it is."""
    result = Classifiers()
    score, call = next(iter(scores), None), next(iter(calls), None)
    for others in (scores[1:], calls[1:]):
        result.remarks += [
            f"'{getattr(one, 'name', one)}' stays out: a row has one score and one call" for one in others
        ]
    common = None if call is None else _with_call(facts, choices, score, call, result)
    by_scorer = {} if score is None else facts.separations.get((score.name, scorer), {})
    for value in facts.table.column(scorer).values:
        name, own = plain_name(value, "model"), by_scorer.get(value)
        kind: ScoreKind = "margin" if own is not None and own.smallest < 0 else "probability"
        if own is not None and kind == "probability" and own.largest > _LARGEST_PROBABILITY:
            result.remarks.append(f"the scores of '{value}' {_unfit(own)}")
            own = None
        one = ProposedClassifier(name, called=None if value == name else value)
        if common is not None:
            one = replace(one, call=common.call, call_yes=common.call_yes)
        if own is None and common is None:
            continue
        if score is not None and own is not None:
            cut_off = None if common is not None else 0.5 if kind == "probability" else 0.0
            one = replace(one, score=score.name, score_kind=kind, cut_off=cut_off)
        result.found.append(one)
    result.found = _named_apart(result.found)
    return result


def _unfit(own: Separation) -> str:
    if looks_like_percentages(own.smallest, own.largest):
        return f"go up to {own.largest:g}, and are left out: that looks like percentages: divide by 100"
    return f"go up to {own.largest:g}, and are left out: no scale fits"


def _call_for(
    facts: TableFacts, score: ScoreColumn, scores: Sequence[ScoreColumn], free: Sequence[str], calls: Sequence[str]
) -> str | None:
    """The call that goes with a score: of the same name, or cut from it, or the only one beside the only score."""
    same = [call for call in free if stem(call) == score.stem]
    if same and (score.stem or len(scores) == 1 or len(same) == 1):
        return same[0]
    cut = [call for call in free if cut_off_score(facts, call, [score]) is not None and not _has_score(call, scores)]
    if cut:
        return cut[0]
    nameless = len(scores) == len(calls) == len(free) == 1 and not (score.stem and stem(free[0]))
    return free[0] if nameless else None


def _has_score(call: str, scores: Iterable[ScoreColumn]) -> bool:
    return stem(call) in {score.stem for score in scores}


def _with_cut_off(facts: TableFacts, score: ScoreColumn, remarks: list[str]) -> ProposedClassifier:
    column = facts.table.column(score.name)
    low, high = column.smallest or 0.0, column.largest or 0.0
    remarks.append(f"no call goes with '{score.name}': it says yes from cut_off = {score.cut_off:g} on")
    if not low < score.cut_off <= high:
        says = "yes" if low >= score.cut_off else "no"
        remarks.append(f"that is {says} in every row, as its numbers go from {low:g} to {high:g}: choose a cut_off")
    return ProposedClassifier(plain_name(score.stem, "model"), score.name, score.kind, score.cut_off)


def _with_call(
    facts: TableFacts, choices: Choices, score: ScoreColumn | None, call: str, result: Classifiers
) -> ProposedClassifier:
    by_score = {} if score is None else facts.separations.get((score.name, call), {})
    yes = yes_value(facts.table.column(call), choices, by_score)
    if yes.remark:
        result.remarks.append(yes.remark)
    if yes.unsure is not None:
        result.unsure.append(yes.unsure)
    name = plain_name((score.stem if score else "") or stem(call), "model")
    kind = "probability" if score is None else score.kind
    return ProposedClassifier(name, score.name if score else None, kind, None, call, yes.value)


def _named_apart(found: Sequence[ProposedClassifier]) -> list[ProposedClassifier]:
    """The same classifiers, each with a name of its own."""
    used, result = set[str](), list[ProposedClassifier]()
    for one in found:
        name, number = one.name, 2
        while name in used:
            name, number = f"{one.name}_{number}", number + 1
        used.add(name)
        result.append(replace(one, name=name))
    return result
