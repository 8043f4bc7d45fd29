"""From what is known of a table to a proposal: which column is what, and the panels that follow."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Final

from stratawatch.config.classifier_rules import LABELS_PER_PATTERN
from stratawatch.config.proposals.answers import AnswerColumns, answer_columns
from stratawatch.config.proposals.class_scores import (
    ClassScores,
    chosen_classes,
    class_scores,
    one_of_each_pair,
    require_classes,
)
from stratawatch.config.proposals.classifiers import (
    Classifiers,
    classifiers_of_class,
    long_classifiers,
    paired_classifiers,
)
from stratawatch.config.proposals.column_names import plain_name, says_yes, spoken, stem, word_set, words_of
from stratawatch.config.proposals.items import ItemColumns, item_columns
from stratawatch.config.proposals.proposal import (
    Choices,
    Proposal,
    ProposedClassifier,
    ProposedPanel,
    TableFacts,
    Unsure,
)
from stratawatch.config.proposals.scores import ScoreColumn, score_columns
from stratawatch.config.proposals.shown_columns import payload_columns, segment_columns
from stratawatch.config.proposals.windows import DAY, schedule_of, time_column, time_remarks
from stratawatch.errors import StratawatchError

_SAID_OF_EVERYTHING: Final = word_set(
    "predictions prediction preds scores score scored output outputs data dataset results result table rows part "
    "export test train all new parquet csv the of year month day hour week"
)
MOST_CLASSIFIERS: Final = 30

_OF_A_CLASS: Final = "Is this {class}?"


@dataclass(frozen=True)
class _Panels:
    panels: tuple[ProposedPanel, ...]
    remarks: tuple[str, ...]
    unsure: tuple[Unsure, ...]


def propose(facts: TableFacts, choices: Choices, source: str) -> Proposal:
    """The configuration for a table that is read from this path. Raises where there is nothing to watch."""
    time, unsure_time = time_column(facts.table, choices)
    items = item_columns(facts, choices)
    leading = {name for name in (items.item, time, items.classifier) if name is not None}
    scores, no_scores = score_columns(facts.table, choices, leading)
    answers = answer_columns(facts, choices, scores, leading | {score.name for score in scores})
    if not scores and not answers.calls:
        raise _nothing_to_watch(facts, answers, no_scores)
    panels = _panels(facts, choices, items, scores, answers, source)
    secret = {score.name for score in scores} | {*answers.calls, *answers.truth, *answers.unclear}
    shown = payload_columns(facts.table, choices, items.item, secret, leading)
    segments = segment_columns(facts.table, choices, leading | secret | {*shown.names} - {*choices.payload})
    times, column = facts.times[time], facts.table.column(time)
    unsure = (unsure_time, items.unsure, shown.unsure, *panels.unsure)
    return Proposal(
        panels.panels,
        items.item,
        time,
        items.classifier,
        shown.names,
        segments,
        schedule_of(times, choices.every),
        (
            *time_remarks(column, times, facts.table.rows),
            *([items.remark] if items.remark else []),
            *no_scores,
            *answers.remarks,
            *shown.remarks,
            *panels.remarks,
        ),
        tuple(dict.fromkeys(one for one in unsure if one is not None)),
        bool(items.remark),
        bool(no_scores) and not any(one.score for panel in panels.panels for one in panel.classifiers),
    )


def budget_of(proposal: Proposal, panel: ProposedPanel) -> int:
    """Labels a cycle: enough to tell something, and not more than a few people give in a window."""
    usual = 100 if proposal.schedule.every <= DAY else 300
    return max(usual, 5 * LABELS_PER_PATTERN * (len(panel.classifiers) + 1))


def _panels(
    facts: TableFacts,
    choices: Choices,
    items: ItemColumns,
    scores: Sequence[ScoreColumn],
    answers: AnswerColumns,
    source: str,
) -> _Panels:
    if items.classifier is not None:
        require_classes((), choices)
        found = long_classifiers(facts, choices, items.classifier, scores, answers.calls)
        if not found.found:
            raise _nothing_to_watch(facts, answers, found.remarks)
        return _one_panel(choices, found, answers, source)
    models = class_scores(facts, scores, answers.calls)
    several = [model for model in models if len(model.scores) > 2]
    if several:
        return _panel_for_each_class(facts, choices, several, scores, answers)
    require_classes(models, choices)
    one = one_of_each_pair(facts, scores, models, answers.calls, choices)
    found = paired_classifiers(facts, choices, one.scores, answers.calls)
    found.remarks += one.remarks
    found.unsure += one.unsure
    return _one_panel(choices, found, answers, source)


def _one_panel(choices: Choices, found: Classifiers, answers: AnswerColumns, source: str) -> _Panels:
    classifiers = found.found[:MOST_CLASSIFIERS]
    if len(found.found) > MOST_CLASSIFIERS:
        left = ", ".join(one.name for one in found.found[MOST_CLASSIFIERS:])
        found.remarks.append(f"only the first {MOST_CLASSIFIERS} classifiers are in the panel, without {left}")
    topic = _topic(classifiers, answers)
    name = choices.panel or plain_name(topic or _name_of(source), "predictions")
    unsure = list(found.unsure)
    question = choices.question or (f"Is this {spoken(topic)}?" if topic else "Should the answer to this item be yes?")
    if not (choices.question or topic):
        unsure.append(Unsure("question", "Which yes/no question do the classifiers answer about an item?", question))
    return _Panels((ProposedPanel(name, question, tuple(classifiers)),), tuple(found.remarks), tuple(unsure))


def _panel_for_each_class(
    facts: TableFacts,
    choices: Choices,
    models: Sequence[ClassScores],
    scores: Sequence[ScoreColumn],
    answers: AnswerColumns,
) -> _Panels:
    names, remarks = chosen_classes(models, choices)
    if choices.panel is not None and len(names) > 1:
        raise StratawatchError(
            "--panel names one panel, and each class gets one",
            expected="one class, or no --panel",
            got=", ".join(names),
            hint="choose one: --class NAME",
        )
    question = choices.question or _OF_A_CLASS
    panels = tuple(
        ProposedPanel(
            choices.panel or name,
            question.replace("{class}", spoken(name)),
            tuple(classifiers_of_class(facts, models, name)),
        )
        for name in names
    )
    unsaid = ", ".join(name for name in names if _says_nothing(name))
    asked = f"Which question is asked, as a class says no words ({unsaid})? {{class}} stands for each panel's class."
    unsure = (Unsure("question", asked, question),) if unsaid and not choices.question else ()
    used = {score.name for model in models for score in model.scores.values()}
    used |= {model.call for model in models if model.call is not None}
    left = [name for name in (*(score.name for score in scores), *answers.calls) if name not in used]
    if left:
        listed = ", ".join(f"'{name}'" for name in left)
        remarks.append(f"{listed} stays out: it is of no single class")
    return _Panels(panels, tuple(remarks), unsure)


def _says_nothing(name: str) -> bool:
    """Whether the name of a class has no letter, or is a number that it was given."""
    return re.search(r"[a-z]", re.sub(r"^class[_-]?\d*$", "", name)) is None


def _topic(classifiers: Sequence[ProposedClassifier], answers: AnswerColumns) -> str:
    """What the question is about, where a column or a value says it: is_spam, or a call that says "spam"."""
    said = {one.call_yes for one in classifiers if one.call_yes is not None}
    words = {plain_name(value, "") for value in said if says_yes(value)} - {"yes", "pos", "positive", "1", ""}
    if len(words) == 1 and not words & {"block", "blocked", "flag", "flagged", "reject", "rejected", "deny", "denied"}:
        return words.pop()
    own = {one.name for one in classifiers}
    of_truth = {stem(name) for name in answers.truth if words_of(name)[:1] == ("is",)} - {""}
    of_truth = {word for word in of_truth if says_yes(word) or plain_name(word, "") in own}  # others are features
    if len(of_truth) == 1:
        return of_truth.pop()
    stems = {one.name for one in classifiers if says_yes(one.name)}
    return stems.pop() if len(stems) == 1 == len(classifiers) else ""


def _name_of(source: str) -> str:
    """A name from the path: the first part from the end that is no word for every table."""
    for part in reversed(PurePath(source).parts[-3:]):
        words = words_of(part.split(".")[0])
        telling = [word for word in words if word not in _SAID_OF_EVERYTHING and not re.search(r"\d", word)]
        if telling and not part.startswith((".", "/")) and "*" not in part:
            return "_".join(telling)
    return "predictions"


def _nothing_to_watch(facts: TableFacts, answers: AnswerColumns, remarks: Sequence[str]) -> StratawatchError:
    stay = [f"'{name}' may be the answer itself" for name in (*answers.truth, *answers.unclear)]
    seen = [*remarks, *stay] or ["the columns " + ", ".join(f"'{name}'" for name in facts.table.names[:20])]
    return StratawatchError(
        "no column holds what a classifier says",
        expected="a score (0 to 1, or any number around 0), or a call (1 and 0, true and false, or words)",
        got="; ".join(seen),
        hint="say which it is: --score COLUMN or --call COLUMN",
    )
