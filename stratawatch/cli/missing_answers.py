"""What `estimates` shows of answers that did not come: bounds beside intervals, counts by side and stratum."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from stratawatch.cli.output import print_line
from stratawatch.cli.table_output import show_rows
from stratawatch.formatting import percent, points, whole_percent

if TYPE_CHECKING:
    from stratawatch.core.designs.missing_bounds import MissingBounds
    from stratawatch.engine.labels.missing_answers import MissingAnswers
    from stratawatch.engine.model.cycle_facts import Cycle, Revision
    from stratawatch.engine.ports.transaction import Transaction


def missing_of_cycles(
    tx: "Transaction", found: Sequence[tuple["Cycle", "Revision"]], *, every: bool
) -> dict[int, "MissingAnswers"]:
    """What is missing, by cycle: of the newest judged windows, whose panels say whether anything is, or of `every`."""
    from stratawatch.engine.labels.labelled_cycle import load_labelled_cycle
    from stratawatch.engine.labels.missing_answers import is_kept, missing_answers

    rows = {}
    for cycle, revision in found:
        if every or is_kept(tx, cycle):
            labelled = load_labelled_cycle(tx, tx.panels.get(cycle.panel_version), cycle.id)
            missing = missing_answers(cycle, labelled, revision.estimates)
            if missing is not None:
                rows[cycle.id] = missing
    return rows


def bounds_columns(bounds: "MissingBounds | None") -> dict[str, float | None]:
    """The bounds of an estimate as JSON; null where every answer that it needs came."""
    return {
        "missing": bounds.missing_share if bounds else None,
        "lowest": bounds.lowest if bounds else None,
        "highest": bounds.highest if bounds else None,
        "worst_low": bounds.low if bounds else None,
        "worst_high": bounds.high if bounds else None,
    }


def bounds_text(row: dict[str, Any]) -> str:
    """The span of the bounds and its width, beside the interval's and the share of answers missing."""
    if row["missing"] is None:
        return ""
    half = row["half_width"]
    low, high = (percent(row[end], half) for end in ("worst_low", "worst_high"))
    wide, usual = points(row["worst_high"] - row["worst_low"], half), points(2 * half, half)
    return f"{low} to {high} ({wide} points wide, interval {usual}; {whole_percent(row['missing'])} missing)"


def missing_row(cycle: "Cycle", missing: "MissingAnswers") -> dict[str, Any]:
    """What is missing of a cycle, as JSON."""
    return {
        "panel": cycle.panel,
        "cycle": cycle.id,
        "drawn": missing.drawn,
        "skipped": missing.skipped,
        "disputed": missing.disputed,
        "expired": missing.expired,
        "open": missing.open,
        "sentence": missing.sentence,
        "lean": missing.lean.sentence if missing.lean else None,
        "p_value": missing.lean.p_value if missing.lean else None,
        "counts": [asdict(one) for one in missing.counts],
    }


def show_missing(cycles: Sequence[dict[str, Any]], *, by_method: bool = False) -> None:
    """A sentence for each cycle; then both sides of every classifier.

    `by_method` adds the strata where answers are missing.
    """
    from stratawatch.core.estimation.missing_answers import AnswerCounts

    for one in cycles:
        print_line()
        print_line(f"{'! ' if one['lean'] else ''}Cycle {one['cycle']}: {one['sentence']}")
        rows = [row for row in one["counts"] if row["classifier"] or (by_method and row["answered"] < row["drawn"])]
        numbers = ("drawn", "answered", "skipped", "expired", "open")
        counts = [AnswerCounts(**row) for row in rows]
        cells = [{"items": one.which_items, **{name: f"{getattr(one, name):,}" for name in numbers}} for one in counts]
        if counts:
            show_rows(cells, how_to_read=counts[0].in_words, numbers=numbers)
