"""Cut-offs that were tried for an open breach: a table for people, numbers for programs."""

from typing import TYPE_CHECKING, Any

from stratawatch.cli.output import print_line
from stratawatch.cli.table_output import show_rows
from stratawatch.formatting import count

if TYPE_CHECKING:
    from stratawatch.core.alarms.cut_offs import CutOff, CutOffChoice
    from stratawatch.core.alarms.moved import ValueInterval
    from stratawatch.engine.evidence.tried_cut_offs import TriedCutOffs


def show_cut_offs(tried: "TriedCutOffs") -> None:
    """Print the table, and above it what was tried on what, or why nothing was."""
    from stratawatch.engine.evidence.cut_off_text import cut_off_in_words, cut_off_rows, tried_text

    print_line()
    print_line(f"Cut-offs of {tried.classifier.name}")
    print_line(tried_text(tried))
    rows = cut_off_rows(tried)
    show_rows(
        [
            {
                "cut-off": f"{row.cut_off}, suggested" if row.is_suggested else row.cut_off,
                **row.values_by_title,
                "flags a window": row.flags,
                "labels": count(row.labels),
            }
            for row in rows
        ],
        how_to_read=cut_off_in_words(rows) if rows else "",
        numbers=["flags a window", "labels"],
    )


def cut_off_facts(tried: "TriedCutOffs") -> dict[str, Any]:
    """The tried cut-offs for programs; `reason` says why there are none, `cut_off` is null where nobody knows it."""
    from stratawatch.core.estimate import Undefined

    choice = tried.choice
    if isinstance(choice, Undefined):
        return {"reason": choice.reason, "windows": tried.windows, "rows": []}
    return {
        "reason": None,
        "windows": tried.windows,
        "confidence": choice.confidence,
        "metric": choice.limit.metric,
        "floor" if choice.limit.is_floor else "ceiling": choice.limit.value,
        "rows": [_row(tried, choice, one) for one in (choice.in_use, *choice.others)],
    }


def _row(tried: "TriedCutOffs", choice: "CutOffChoice", one: "CutOff") -> dict[str, Any]:
    from stratawatch.engine.evidence.cut_off_text import on_own_scale

    classifier = tried.classifier
    known = classifier.cut_off if classifier.call is None else None
    return {
        "cut_off": known if one.score is None else on_own_scale(classifier, one.score),
        "in_use": one.score is None,
        "suggested": one is choice.suggested,
        "value": _interval(one.value),
        "precision": _interval(one.precision),
        "recall": _interval(one.recall),
        "flags": _interval(one.calls),
        "labels": one.labels,
    }


def _interval(one: "ValueInterval") -> dict[str, float]:
    return {"value": one.value, "low": one.low, "high": one.high}
