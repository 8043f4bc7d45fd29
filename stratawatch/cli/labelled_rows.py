"""Labelled items as rows: what labellers saw, what classifiers said, stratum and weight. For files and programs."""

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from stratawatch.engine.labels.labelled_items import LabelledItem, ScoreRange
    from stratawatch.engine.model.panel_spec import ClassifierSpec

_DIGITS: Final = 6


def item_columns(one: "LabelledItem") -> dict[str, Any]:
    """What is known of an item besides who said what about it."""
    return {
        "cycle": one.cycle.id,
        "window_start": one.cycle.window.start.isoformat(),
        "window_end": one.cycle.window.end.isoformat(),
        "stratum": one.stratum,
        "weight": one.weight,
        "segments": dict(one.item.segments),
        "payload": dict(one.item.payload),
    }


def calls_and_scores(one: "LabelledItem") -> dict[str, Any]:
    """What each classifier did with an item, and its score as `score_columns` has it."""
    found = {each.name: score_columns(each, one.score(each.name))["score"] for each in one.spec.classifiers}
    return {"calls": {name: one.side(name) for name in found}, "scores": found}


def score_columns(classifier: "ClassifierSpec", score: "ScoreRange | None") -> dict[str, float | None]:
    """The middle of a score's bin and its ends, on the classifier's own scale; an end of a margin may lie nowhere."""
    if score is None:
        return {"score": None, "score_low": None, "score_high": None}
    middle = (score.low + score.high) / 2
    ends = {"score": middle, "score_low": score.low, "score_high": score.high}
    return {name: _on_own_scale(classifier, end) for name, end in ends.items()}


def _on_own_scale(classifier: "ClassifierSpec", score: float) -> float | None:
    from stratawatch.engine.evidence.cut_off_text import on_own_scale

    if classifier.score_kind == "margin" and not 0 < score < 1:
        return None
    return float(f"{on_own_scale(classifier, score):.{_DIGITS}g}")
