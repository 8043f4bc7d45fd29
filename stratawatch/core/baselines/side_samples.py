"""Baselines of labels that were drawn from either side of a classifier apart."""

from collections.abc import Sequence
from typing import Final

from stratawatch.core.baselines.answers import LACKING, REPORTED, Answers, count
from stratawatch.core.baselines.baseline import Baseline
from stratawatch.core.baselines.intervals import MIXED, TwoSides
from stratawatch.core.baselines.labelled import of_answers
from stratawatch.core.cells import Flags
from stratawatch.core.estimate import Undefined
from stratawatch.errors import StratawatchError

OF_ONE_SIDE: Final = ("precision", "false_omission_rate", "negative_predictive_value")


def drawn_apart(
    calls: Flags, truth: Flags, called_size: float, passed_size: float, *, metrics: Sequence[str] = REPORTED
) -> tuple[Baseline, ...]:
    """Of labels that were drawn at random among the `called_size` items called positive, and among the others.

    The items stand for what is yet to come, so that no label is exempt from chance even if all of them have one.
    """
    answers = count(calls, truth)
    for size, labels, words in (
        (called_size, int(answers.tp + answers.fp), "called positive"),
        (passed_size, int(answers.fn + answers.tn), "called negative"),
    ):
        if not (size >= max(labels, 1) and float(size).is_integer()):
            raise StratawatchError(
                f"labels drawn apart need the number of items {words}",
                expected=f"a whole number, at least 1 and at least the {labels} that have a label",
                got=f"{size:.15g}",
            )
    return tuple(_baseline(metric, answers, called_size, passed_size) for metric in metrics)


def _baseline(metric: str, answers: Answers, called_size: float, passed_size: float) -> Baseline:
    n = int(sum(answers))
    if metric in OF_ONE_SIDE:
        return Baseline(metric, of_answers(metric, answers), "labels drawn apart, Wilson", n)
    if metric in MIXED:
        evidence = _both(metric, answers, called_size, passed_size)
        return Baseline(metric, evidence, f"labels drawn apart, {MIXED[metric]}", n)
    raise StratawatchError(
        f"there is no baseline of '{metric}' from labels drawn apart",
        expected=f"one of {', '.join((*OF_ONE_SIDE, *MIXED))}",
    )


def _both(metric: str, answers: Answers, called_size: float, passed_size: float) -> TwoSides | Undefined:
    called, passed = of_answers("precision", answers), of_answers("false_omission_rate", answers)
    if isinstance(called, Undefined):
        return called
    if isinstance(passed, Undefined):
        return passed
    if metric == "recall" and answers.tp + answers.fn == 0:
        return Undefined(LACKING["recall"])
    return TwoSides(metric, called, passed, called_size, passed_size)
