"""Scores of one model for several classes: a panel for each class, or one where there are two."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Final

from stratawatch.adapters.sources.column_summary import NEARLY_ALL, Separation
from stratawatch.config.proposals.answers import MOST_CLASSES
from stratawatch.config.proposals.column_names import plain_name, says_yes
from stratawatch.config.proposals.proposal import Choices, TableFacts, Unsure
from stratawatch.config.proposals.scores import ScoreColumn
from stratawatch.errors import StratawatchError
from stratawatch.formatting import did_you_mean

MOST_PANELS: Final = 10
"""Classes that each get a panel unless they are chosen: every one costs labels of its own."""


@dataclass(frozen=True)
class ClassScores:
    """The scores of one model, by class, and the column that says which class it calls."""

    model: str
    scores: Mapping[str, ScoreColumn]
    call: str | None = None


@dataclass(frozen=True)
class BinaryScores:
    """Scores of which each is one classifier's, after the other class of a pair was left out."""

    scores: tuple[ScoreColumn, ...]
    remarks: tuple[str, ...] = ()
    unsure: tuple[Unsure, ...] = ()


def groups_that_may_add_up(scores: Sequence[ScoreColumn]) -> list[tuple[str, ...]]:
    """Columns that may be the probabilities of one model's classes: all, or those whose names share an end."""
    fit = [score for score in scores if score.kind == "probability"]
    groups = [tuple(score.name for score in fit)]
    for end in (0, -1):
        ends = dict.fromkeys(_words(score)[end] for score in fit if len(_words(score)) > 1)
        groups += [tuple(one.name for one in fit if _words(one)[end] == word) for word in ends]
    return [group for group in dict.fromkeys(groups) if 2 <= len(group) <= MOST_CLASSES]


def class_scores(facts: TableFacts, scores: Sequence[ScoreColumn], calls: Sequence[str]) -> list[ClassScores]:
    """The models that have a score for each class: those add up to 1, or are what a column of calls says."""
    by_name, found, used = {score.name: score for score in scores}, list[ClassScores](), set[str]()
    for group in groups_that_may_add_up(scores):
        members = [by_name[name] for name in group]
        model, classes = _by_class(members)
        call = _call_of(facts, classes, calls)
        adds_up = facts.sums.get(group, 0.0) >= NEARLY_ALL
        if used.isdisjoint(group) and (adds_up or (call is not None and len(group) > 2)):
            found.append(ClassScores(model, classes, call))
            used |= set(group)
    return found


def one_of_each_pair(
    facts: TableFacts,
    scores: Sequence[ScoreColumn],
    pairs: Sequence[ClassScores],
    calls: Sequence[str],
    choices: Choices,
) -> BinaryScores:
    """The scores, without the class that means no of a model that has a score for yes and for no."""
    left, remarks, unsure = list(scores), list[str](), list[Unsure]()
    for pair in pairs:
        positive, is_sure = _positive(facts, pair, calls, choices)
        negative = next(name for name in pair.scores if name != positive)
        kept, dropped = pair.scores[positive], pair.scores[negative]
        left.remove(dropped)
        left[left.index(kept)] = replace(kept, stem="" if pair.model == "model" else pair.model)
        remarks.append(f"'{dropped.name}' stays out: it is 1 less '{kept.name}'")
        if not is_sure:
            asked = f"Which class means yes: {', '.join(pair.scores)}?"
            unsure.append(Unsure("class", asked, positive))
    return BinaryScores(tuple(left), tuple(remarks), tuple(unsure))


def require_classes(models: Sequence[ClassScores], choices: Choices) -> list[str]:
    """The classes of these models; raises where one that was chosen is of none."""
    there = list(dict.fromkeys(name for model in models for name in model.scores))
    for name in choices.classes:
        if not there:
            raise StratawatchError(
                f"there is no class '{name}'",
                expected="no --class, as no model has a score for each of several classes",
                hint="say which scores are one's own: --score COLUMN",
            )
        if name not in there:
            hint = did_you_mean(name, there)
            raise StratawatchError(f"there is no class '{name}'", expected=", ".join(there[:20]), hint=hint)
    return there


def chosen_classes(models: Sequence[ClassScores], choices: Choices) -> tuple[list[str], list[str]]:
    """The classes that get a panel, and what is to be said of the others."""
    there = require_classes(models, choices)
    if choices.classes:
        return list(choices.classes), []
    said = [
        f"{len(there)} classes: each is a question of its own, with labels of its own; --class NAME keeps some only"
    ]
    if len(there) <= MOST_PANELS:
        return there, said
    return there[:MOST_PANELS], [*said, f"only the first {MOST_PANELS} classes have a panel"]


def call_value(facts: TableFacts, call: str | None, name: str) -> str | None:
    """What a column of calls says of this class."""
    values = [] if call is None else list(facts.table.column(call).values)
    return next((value for value in values if plain_name(value, value) == name), None)


def _positive(facts: TableFacts, pair: ClassScores, calls: Sequence[str], choices: Choices) -> tuple[str, bool]:
    """The class that means yes, and whether that is more than a guess."""
    names = list(pair.scores)
    chosen = [
        name for name in names if name in {*choices.classes, *(plain_name(value, "") for value in choices.call_yes)}
    ]
    if chosen:
        return chosen[0], True
    said = {name: says_yes(name) for name in names}
    for one, other in (names, names[::-1]):
        if (said[one] is True and said[other] is not True) or (said[one] is None and said[other] is False):
            return one, True
    for call in calls:
        for name in names:
            if _grows_with(facts.separations.get((pair.scores[name].name, call), {})):
                return name, True
    return names[-1], False


def _grows_with(found: Mapping[str, Separation]) -> bool:
    """Whether a score is larger where the call says yes, in words that are known."""
    yes = [one.mean for value, one in found.items() if says_yes(value)]
    no = [one.mean for value, one in found.items() if says_yes(value) is False]
    return len(yes) == len(no) == 1 and yes[0] > no[0]


def _by_class(members: Sequence[ScoreColumn]) -> tuple[str, dict[str, ScoreColumn]]:
    """The model's name, which all share, and the scores by what is left of their names."""
    names = [_words(score) for score in members]
    shortest = min(len(words) for words in names) - 1
    first = _shared(names, shortest)
    last = _shared([words[::-1] for words in names], shortest - first)
    model = "_".join([*names[0][:first], *(names[0][len(names[0]) - last :] if last else [])])
    classes = {
        plain_name("_".join(words[first : len(words) - last]), f"class_{number}"): score
        for number, (words, score) in enumerate(zip(names, members, strict=True), 1)
    }
    if len(classes) < len(members):  # names that differ in signs only
        classes = {f"class_{number}": score for number, score in enumerate(members, 1)}
    return plain_name(model, "model"), classes


def _shared(names: Sequence[Sequence[str]], most: int) -> int:
    same = takewhile(lambda words: len(set(words)) == 1, zip(*names, strict=False))
    return min(len(list(same)), max(most, 0))


def _call_of(facts: TableFacts, classes: Mapping[str, ScoreColumn], calls: Sequence[str]) -> str | None:
    """The column of calls whose every value is one of the classes."""
    for call in calls:
        values = {plain_name(value, value) for value in facts.table.column(call).values}
        if len(values) > 1 and values <= set(classes):
            return call
    return None


def _words(score: ScoreColumn) -> list[str]:
    return score.stem.split("_") if score.stem else [""]
