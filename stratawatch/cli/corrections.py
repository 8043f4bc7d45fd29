"""What `estimates` shows of the errors of labels: corrected values, what gold items say, what disagreement implies."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from stratawatch.cli.gold import gold_numbers
from stratawatch.cli.output import print_line
from stratawatch.formatting import estimate_text

if TYPE_CHECKING:
    from stratawatch.core.estimate import IntervalEstimate, Undefined
    from stratawatch.engine.labels.corrected_estimates import CorrectedCycle
    from stratawatch.engine.labels.implied_errors import Disagreement
    from stratawatch.engine.model.cycle_facts import Cycle, Revision
    from stratawatch.engine.ports.transaction import Transaction


def corrections_of_cycles(
    tx: "Transaction", found: Sequence[tuple["Cycle", "Revision"]]
) -> dict[int, "CorrectedCycle"]:
    """The corrected estimates, by cycle, of those for whose panel gold items were asked by then."""
    from stratawatch.engine.labels.corrected_estimates import corrected_cycle

    several = ((cycle.id, corrected_cycle(tx, cycle, revision.estimates)) for cycle, revision in found)
    return {cycle: one for cycle, one in several if one is not None}


def correction_columns(found: "IntervalEstimate | Undefined | None") -> dict[str, float | str | None]:
    """A corrected estimate as JSON, or why there is none; all null where no gold item was asked for."""
    ends = (("corrected", "value"), ("corrected_low", "low"), ("corrected_high", "high"))
    return {
        **{name: getattr(found, end, None) for name, end in ends},
        "uncorrected_reason": getattr(found, "reason", None),
    }


def correction_text(row: dict[str, Any]) -> str:
    """The corrected value with its interval."""
    if row["corrected"] is None:
        return "cannot be told" if row["uncorrected_reason"] else ""
    return estimate_text(row["corrected"], row["corrected_low"], row["corrected_high"])


def correction_row(cycle: "Cycle", found: "CorrectedCycle") -> dict[str, Any]:
    """What gold items say of a cycle's labels, as JSON."""
    return {"panel": cycle.panel, "cycle": cycle.id, "sentence": found.sentence, **gold_numbers(found.gold)}


def disagreements_of_panels(tx: "Transaction", panels: Sequence[str]) -> list[dict[str, Any]]:
    """What annotators' disagreement implies for the newest estimates of these panels, as JSON; most have nothing."""
    from stratawatch.engine.labels.implied_errors import disagreement

    latest = tx.panels.latest()
    several = (
        disagreement(tx, latest[name], cycle, revision.estimates)
        for name in panels
        for cycle, revision in tx.estimates.history(name, newest=1)
    )
    return [_disagreement_row(one) for one in several if one is not None]


def _disagreement_row(found: "Disagreement") -> dict[str, Any]:
    return {**asdict(found), "sentence": found.sentence}


def show_disagreements(found: Sequence[dict[str, Any]]) -> None:
    """A sentence for each panel."""
    for one in found:
        print_line()
        print_line(f"{one['panel']}: {one['sentence']}")


def show_corrections(cycles: Sequence[dict[str, Any]]) -> None:
    """A sentence for each cycle."""
    for one in cycles:
        print_line()
        print_line(f"Cycle {one['cycle']}: {one['sentence']}")
