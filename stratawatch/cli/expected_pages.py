"""In how many windows falls beyond limits would be paged, as `plan` and `check` say it."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from stratawatch.cli.output import print_line, stream_in_words, stream_text
from stratawatch.cli.table_output import show_rows
from stratawatch.errors import StratawatchError

if TYPE_CHECKING:
    from datetime import datetime

    from stratawatch.config.loading import Configuration
    from stratawatch.engine.cycle.expected_pages import ExpectedPage


def page_document(one: "ExpectedPage") -> dict[str, Any]:
    """One end of a limit as JSON values."""
    return {
        "classifier": one.key.classifier,
        "metric": one.key.metric,
        "segment": one.key.segment,
        "end": one.end,
        "windows": [{"loss": loss, "windows": windows} for loss, windows in one.windows.items()],
        "unknown": one.unknown,
    }


def show_pages(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print tables of the ends of which it is known, one for each pair of losses, and a line for each of the others."""
    known = defaultdict(list)
    for row in rows:
        if not row["unknown"]:
            known[tuple(_points(one["loss"]) for one in row["windows"])].append(row)
    for losses, alike in known.items():
        cells = [_cells(row) for row in alike]
        show_rows(cells, how_to_read=_how_to_read(alike[0], cells[0]), numbers=losses)
    for row in rows:
        if row["unknown"]:
            print_line(f"Not known of {_end_text(row)}: {row['unknown']}")


def pages_of_panels(configuration: "Configuration", now: "datetime") -> dict[str, list[dict[str, Any]]]:
    """The rows of every panel with limits, with the labels that its newest judged window got; nothing is written."""
    from stratawatch.adapters.store import open_store
    from stratawatch.engine.cycle.expected_pages import pages_as_labelled, unknown_pages

    panels = configuration.panels
    try:
        store = open_store(configuration.store_url().get_secret_value())
        with store.begin() as tx:
            found = {name: pages_as_labelled(tx, spec, now) for name, spec in panels.items()}
    except StratawatchError:  # the store's own part says what is wrong with it
        found = {name: unknown_pages(spec, "the store cannot be used") for name, spec in panels.items()}
    return {name: [page_document(one) for one in pages] for name, pages in found.items() if pages}


def page_facts(rows: Sequence[Mapping[str, Any]], unit: str) -> dict[str, str]:
    """A sentence for each end of a limit, or one for all where nothing is known; `unit` is what a window is called."""
    reasons = {row["unknown"] for row in rows}
    if reasons == {rows[0]["unknown"]} and rows[0]["unknown"]:
        return {f"{unit}s to a page": _sentence(rows[0], unit)}
    labels = "with labels like those of the newest judged window"
    said = {"a metric beyond its limit": f"is paged in so many {unit}s on average, {labels}"}
    return said | {_end_text(row): _sentence(row, unit) for row in rows}


def _sentence(row: Mapping[str, Any], unit: str) -> str:
    if row["unknown"]:
        return f"not known yet: {row['unknown']}"
    return ", ".join(f"{_points(one['loss'])} in {_windows(one['windows'], unit)}" for one in row["windows"])


def _how_to_read(row: Mapping[str, Any], cells: Mapping[str, str]) -> str:
    """A row in a sentence."""
    (loss, windows), *_ = [cell for cell in cells.items() if cell[0] != "limit of"]
    several = "window" if windows == "1" else "windows"
    return f"once the {stream_in_words(row)} is {loss} beyond its limit, somebody is paged after {windows} {several}"


def _cells(row: Mapping[str, Any]) -> dict[str, str]:
    shown = {_points(one["loss"]): _number(one["windows"]) for one in row["windows"]}
    return {"limit of": _end_text(row), **shown}


def _windows(number: float | None, unit: str) -> str:
    """So many windows.

    >>> _windows(1.0, "week"), _windows(2.34, "week"), _windows(None, "day")
    ('1 week', '2.3 weeks', 'more than 100 days')
    """
    return f"{_number(number)} {unit}{'' if _number(number) == '1' else 's'}"


def _points(loss: float) -> str:
    """A loss in points.

    >>> _points(0.05), _points(0.01), _points(0.0125)
    ('5 points', '1 point', '1.25 points')
    """
    number = f"{100 * loss:.4g}"
    return f"{number} point{'' if number == '1' else 's'}"


def _number(windows: float | None) -> str:
    return "more than 100" if windows is None else f"{windows:.1f}".removesuffix(".0")


def _end_text(row: Mapping[str, Any]) -> str:
    return f"{stream_text(row)} ({row['end'].replace('_', ' ')})"
