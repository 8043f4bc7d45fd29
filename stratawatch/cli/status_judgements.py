"""What `status` prints beside the states: missing answers, what became of forecasts, and truth that came by itself."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from stratawatch.cli.output import print_line
from stratawatch.engine.model.forecast_record import record_document, record_from
from stratawatch.formatting import truth_text

if TYPE_CHECKING:
    from stratawatch.adapters.status_queries import StatusRows


def forecast_records(rows: "StatusRows", configured: frozenset[str] | None) -> list[dict[str, Any]]:
    """What became of the last forecasts of each panel that is configured and has some."""
    return [
        {"panel": kept["panel"], **record_document(record)}
        for kept in (row["position"] for row in rows["forecast_records"])
        if configured is None or kept["panel"] in configured
        for record in [record_from(kept)]
        if record is not None
    ]


def show_judgements(document: Mapping[str, Any]) -> None:
    """What is missing of newest windows, which are judged without the windows before, and what became of forecasts."""
    for row in document["missing_answers"]:
        print_line(f"{'! ' if row['leans'] else ''}{row['panel']}, cycle {row['cycle']}: {row['sentence']}")
    for row in document["lone_windows"]:
        print_line(f"{row['panel']}, cycle {row['cycle']}: paged by each window alone: {row['why']}")
    for row in document["forecast_records"]:
        print_line(f"{row['panel']}: {row['sentence']}")


def show_truth(document: Mapping[str, Any]) -> None:
    """What came by itself, and the limits that it breaks by its count alone."""
    for row in document["truth"]:
        print_line(truth_text(**row))
    for row in document["truth_warnings"]:
        where = f" in {row['segment']}" if row["segment"] else ""
        print_line(
            f"! {row['panel']}, cycle {row['cycle']}, {row['classifier']}{where}: {row['sentence']}", indent="  "
        )
