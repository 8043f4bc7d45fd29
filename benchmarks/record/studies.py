"""What studies plan, draw and estimate, through the public `Study` alone: renames inside do not touch it."""

import json
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from typing import Any, Final

from benchmarks.record.populations import SHAPES, Population, population
from stratawatch import Goal, StratawatchError, Study, StudyHistory

METRICS: Final = (
    "precision",
    "recall",
    "false_omission_rate",
    "f1",
    "accuracy",
    "specificity",
    "negative_predictive_value",
    "prevalence",
)
NUMBERS: Final[Mapping[str, str]] = {
    "value": "value",
    "low": "low",
    "high": "high",
    "labels used": "labels_used",
    "effective sample": "n_eff",
    "margin": "margin",
    "design effect": "deff",
}
"""Keys of the record, which stay, and the columns of the frame of estimates, which may be renamed."""
EXPECTED: Final[Mapping[str, str]] = {"guess": "guess", "half-width": "half_width", "margin": "margin"}
STRATUM: Final[Mapping[str, str]] = {
    "stratum": "stratum",
    "patterns": "patterns",
    "mean score": "mean_score",
    "lowest": "lowest",
    "highest": "highest",
    "items": "items",
    "labels": "labels",
}
_MOST_ROUNDS: Final = 400


@dataclass(frozen=True)
class Case:
    """One study: the population, the period, and what it is asked for."""

    name: str
    population: str
    period: int = 0
    design: str = "joint"
    options: Mapping[str, Any] = field(default_factory=dict)
    goals: bool = False
    capped: bool = False
    sequential: bool = False
    variance: str = "default"
    half: bool = False


def cases() -> Iterator[Case]:
    """Every population with every design, in two periods; and the options of designs on one population."""
    for name in SHAPES:
        yield Case("joint, budget", name)
        yield Case("joint, half of the labels", name, half=True)
        yield Case("joint, goals", name, goals=True)
        yield Case("joint, goals of one", name, goals=True, capped=True)
        yield Case("joint, brr", name, variance="brr")
        yield Case("joint, later period, budget", name, period=1)
        yield Case("joint, later period, goals", name, period=1, goals=True)
        for design in ("srs", "kumar", "bennett", "tripathi"):
            yield Case(design, name, design=design)
            yield Case(f"{design}, later period", name, period=1, design=design)
    for name in ("three classifiers", "few items", "null calls"):
        yield Case("joint, sequential", name, goals=True, sequential=True)
        yield Case("joint, sequential, later period", name, period=1, goals=True, sequential=True)
    for design, options in _options():
        words = ", ".join(f"{key} {value}" for key, value in options.items())
        yield Case(f"{design}, {words}", "three classifiers", design=design, options=options)


def _options() -> Iterator[tuple[str, dict[str, Any]]]:
    for stratifier in ("SQRT", "CBRT", "WTMN", "GMM", "EQSZ", "EQWD"):
        yield "kumar", {"stratifier": stratifier, "strata": 5}
    for allocation in ("EQU", "OPT-A1", "OPT-A2"):
        yield "kumar", {"allocation": allocation, "n_step": 40}
    # The old name of pseudo_labels, by which records that were made before know the case.
    yield "kumar", {"allocation": "OPT-A1", "doubt": 0.0}
    for share in ("precision", "false_omission_rate", "negative_predictive_value", "prevalence"):
        yield "kumar", {"share": share, "classifier": "c1"}
    for style in ("uni", "pps", "opt"):
        yield "bennett", {"style": style, "binning": "equal", "bins": 5}
    yield "bennett", {"delta": 0.06, "classifier": "c2"}
    yield "bennett", {"per_bin": 10, "in_a_row": 3, "delta": 0.08}
    yield "tripathi", {"mixing": "uniform_sample"}
    yield "tripathi", {"parent": "c1", "omission_share": 0.3, "at_least": 0.7}


def record(case: Case) -> dict[str, Any]:
    """Everything that a study says, from its plan to its history."""
    people = population(case.population, case.period)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            found = _played(case, people, _earlier(case.population) if case.period else None)
        except StratawatchError as refused:
            found = {"refused": type(refused).__name__}
    return {**found, "numerical warnings": sum(one.category is RuntimeWarning for one in heard)}


@cache
def _earlier(name: str) -> StudyHistory:
    people = population(name, 0)
    study = Study(people.frame, **people.columns, budget=people.budget, seed=5)
    _label(study, people)
    return study.history()


def _played(case: Case, people: Population, history: StudyHistory | None) -> dict[str, Any]:
    study = Study(
        people.frame,
        **people.columns,
        **_asked(case, people),
        seed=5,
        history=history,
        design=case.design,
        options=case.options,
        variance=case.variance,
    )
    plan = _plan(study)
    if case.half:
        batch = study.ask()
        study.tell({item: people.truth[item] for item in batch[::2]})
        return {"plan": plan, "rounds": [_digest(batch)], **_found(study, people)}
    rounds = _label(study, people)
    return {"plan": plan, "rounds": rounds, **_found(study, people), "saved": _saved(study)}


def _asked(case: Case, people: Population) -> dict[str, Any]:
    if not case.goals:
        return {"budget": people.budget}
    whose = people.classifiers[:1] if case.capped else ()
    goals = [Goal("precision", people.margin, whose), Goal("recall", 1.5 * people.margin, whose)]
    if case.capped:
        return {"goals": [*goals, Goal("f1", 2 * people.margin)], "budget": people.budget}
    return {"goals": goals, "sequential": case.sequential}


def _label(study: Study, people: Population) -> list[str]:
    """Tell everything that a study asks; what it asked, round by round."""
    rounds = []
    while batch := study.ask():
        rounds.append(_digest(batch))
        study.tell({item: people.truth[item] for item in batch})
        if len(rounds) > _MOST_ROUNDS:
            raise RuntimeError("a study that never ends")
    return rounds


def _digest(items: list[Any]) -> str:
    return f"{len(items)} items, {sha256(json.dumps(items).encode()).hexdigest()[:32]}"


def _plan(study: Study) -> dict[str, Any]:
    plan = study.plan()
    return {
        "labels": plan.labels,
        "warnings": len(plan.warnings),
        "strata": [{key: getattr(row, column) for key, column in STRATUM.items()} for row in plan.strata],
        "expected": {
            f"{row.classifier}, {row.metric}": {key: getattr(row, column) for key, column in EXPECTED.items()}
            for row in plan.expected
        },
    }


def _found(study: Study, people: Population) -> dict[str, Any]:
    rows = study.estimates(METRICS).to_frame().to_dict("records")
    names = people.classifiers
    compared = {} if len(names) < 2 else {metric: study.compare(names[0], names[-1], metric) for metric in METRICS}
    return {
        "warnings": len(study.warnings),
        "labels": study.labels_new,
        "estimates": {
            f"{row['classifier']}, {row['metric']}, {row['segment'] or 'all'}": {
                key: row[column] for key, column in NUMBERS.items()
            }
            for row in rows
        },
        "reported": len(study.estimates()),
        "compared": {
            metric: {key: getattr(row, column) for key, column in NUMBERS.items()} for metric, row in compared.items()
        },
        "history": [tuple(row) for row in study.history().rows],
    }


def _saved(study: Study) -> dict[str, Any]:
    """What was frozen and drawn, by the text that a study is saved as; of atoms the values alone, in their order."""
    document = json.loads(study.to_json())
    return {
        "atoms": [list(atom.values()) for atom in document["atoms"]],
        "pools": document["pools"],
        "totals": [one["totals"] for one in document["rounds"]],
        "half-widths": [one["half_widths"] for one in document["rounds"]],
        "exhausted": [one["exhausted"] for one in document["rounds"]],
        "drawn": [_digest(one["added"]) for one in document["rounds"]],
    }
