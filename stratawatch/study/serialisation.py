"""A study as text: its arguments, the frozen design, the draw and the labels. The frame is not in it.

The text keeps the names that it had first (`wishes`, `told`), so that texts of any version can be read.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any, Final, get_args

from stratawatch.core.goals import Goal, SurveySpec
from stratawatch.core.plan import Plan
from stratawatch.core.population import Atom
from stratawatch.core.second_votes import NO_SECOND_VOTES
from stratawatch.core.verdicts import Verdict
from stratawatch.study.arguments import MOST_ROUNDS
from stratawatch.study.study_columns import StudyColumns
from stratawatch.study.study_history import StudyHistory
from stratawatch.study.study_progress import StudyProgress, StudyRound

FORMAT: Final = "stratawatch study 1"
_ARGUMENTS: Final = (
    "item",
    "classifiers",
    "goals",
    "budget",
    "seed",
    "confidence",
    "segments",
    "auxiliary",
    "score_kind",
    "stop_rule",
    "design",
    "options",
    "variance",
    "cluster",
    "second_votes",
    "rounds",
)

_KINDS: Final[Mapping[str, type]] = {
    "wishes": dict,
    "atoms": list,
    "pools": list,
    "rounds": list,
    "told": dict,
    "done": bool,
}
# Arguments of studies that were saved before there was a choice.
_LATER: Final[Mapping[str, Any]] = {
    "design": "joint",
    "options": {},
    "variance": "default",
    "cluster": None,
    "second_votes": NO_SECOND_VOTES,
    "rounds": MOST_ROUNDS,
}


def study_document(
    given: Mapping[str, Any],
    fingerprint: str,
    atoms: Sequence[Atom],
    pools: Sequence[int],
    history: StudyHistory,
    progress: StudyProgress,
) -> dict[str, Any]:
    """All that must be as it was when a study goes on, as JSON values; `given` are its `arguments_document`."""
    return {
        "format": FORMAT,
        "wishes": given,
        "fingerprint": fingerprint,
        "atoms": [_atom(atom) for atom in atoms],
        "pools": list(pools),
        "history": history.as_document(),
        "rounds": [_round(one) for one in progress.rounds],
        "told": progress.labels,
        "done": progress.done,
    }


def arguments_document(panel: StudyColumns, survey: SurveySpec, seed: str, stop_rule: str) -> dict[str, Any]:
    """The arguments of a study, but for its frame and its history, as JSON values."""
    return {
        "item": panel.item,
        "classifiers": {scorer.name: [scorer.score, scorer.call] for scorer in panel.classifiers},
        "goals": [asdict(goal) for goal in survey.goals],
        "budget": survey.budget,
        "seed": seed,
        "confidence": survey.confidence,
        "segments": list(panel.segments),
        "auxiliary": list(panel.auxiliary_names),
        "score_kind": {scorer.name: scorer.kind for scorer in panel.scorers},
        "stop_rule": stop_rule,
        "design": survey.design,
        "options": dict(survey.options),
        "variance": survey.variance,
        "cluster": panel.cluster,
        "second_votes": survey.second_votes,
        "rounds": survey.rounds,
    }


def read_arguments(document: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that a study was made with."""
    stored = {**_LATER, **document["wishes"]}
    if "stop_rule" not in stored:
        stored["stop_rule"] = "sequential" if stored["sequential"] else None  # as earlier versions wrote it
    given = {name: stored[name] for name in _ARGUMENTS}
    goals = [_goal(one) for one in given["goals"]]
    history = StudyHistory.from_document(document["history"])
    return {**given, "goals": goals, "history": history if len(history) else None}


def check_consistent(document: Mapping[str, Any]) -> None:
    """Raise ValueError for parts of a document that do not belong together, as those of two studies would."""
    for name, kind in _KINDS.items():
        if not isinstance(document[name], kind):
            raise ValueError(f"{name!r} is no {'table' if kind is dict else 'list' if kind is list else 'switch'}")  # noqa: TRY004 - told in one sentence
    strata = {atom["stratum"] for atom in document["atoms"]}
    if not strata or sorted(strata) != list(range(len(document["pools"]))):
        raise ValueError(f"{len(document['pools'])} pools of {len(strata)} strata")
    if any(len(one["totals"]) != len(strata) for one in document["rounds"]):
        raise ValueError("a round of other strata")
    asked = {item for one in document["rounds"] for item in one["asked"]}
    for item, verdict in document["told"].items():
        if item not in asked:
            raise ValueError(f"an answer about {item!r}, which was not asked about")
        if verdict not in get_args(Verdict):
            raise ValueError(f"the answer {verdict!r:.20} about {item!r}")


def atoms_of(document: Mapping[str, Any]) -> list[Atom]:
    """The frozen atoms, without their segments, which the frame counts; earlier texts call a prior rate foretold."""
    return [
        Atom(**{"prior_rate" if name == "foretold" else name: value for name, value in one.items()})
        for one in document["atoms"]
    ]


def progress_of(document: Mapping[str, Any]) -> StudyProgress:
    """The progress of a study, without the labels that its history brings."""
    rounds = [
        StudyRound(
            Plan(
                totals=tuple(one["totals"]),
                half_widths={(classifier, metric): width for classifier, metric, width in one["half_widths"]},
                method=one["method"],
                exhausted=tuple(one["exhausted"]),
            ),
            added=tuple(one["added"]),
            asked=tuple(one["asked"]),
        )
        for one in document["rounds"]
    ]
    return StudyProgress({}, rounds, dict(document["told"]), done=bool(document["done"]))


def _goal(document: Mapping[str, Any]) -> Goal:
    """A goal; `of` is what `classifiers` was called before."""
    classifiers = document["of"] if "of" in document else document["classifiers"]
    return Goal(document["metric"], document["margin"], tuple(classifiers))


def _atom(atom: Atom) -> dict[str, Any]:
    return {field.name: getattr(atom, field.name) for field in fields(atom) if field.name != "segments"}


def _round(one: StudyRound) -> dict[str, Any]:
    return {
        "totals": list(one.plan.totals),
        "half_widths": [[*name, width] for name, width in one.plan.half_widths.items()],
        "method": one.plan.method,
        "exhausted": list(one.plan.exhausted),
        "added": list(one.added),
        "asked": list(one.asked),
    }
