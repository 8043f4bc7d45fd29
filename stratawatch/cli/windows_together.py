"""`estimates --together`: the newest windows as one, or their change from the windows before."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from stratawatch.cli.interval_methods import show_method
from stratawatch.cli.output import print_line, stream_in_words, stream_text, value_text
from stratawatch.cli.table_output import show_rows
from stratawatch.errors import StratawatchError
from stratawatch.formatting import confidence_text, count, count_text, estimate_in_words, signed_points, span_text

if TYPE_CHECKING:
    from stratawatch.core.estimate import Estimate
    from stratawatch.core.population import Segment
    from stratawatch.engine.evidence.newest_together import NewestTogether
    from stratawatch.engine.ports.transaction import Transaction


def together_rows(
    tx: "Transaction", panels: Iterable[str], windows: int, *, is_change: bool, with_segments: bool
) -> tuple[list[dict[str, Any]], dict[str, StratawatchError]]:
    """A row for each classifier, metric and segment of every panel that has a judged window, and why others have none.

    Raises where no panel has a row and some cannot.
    """
    from stratawatch.engine.evidence.newest_together import newest_together

    rows: list[dict[str, Any]] = []
    troubles: dict[str, StratawatchError] = {}
    for panel in panels:
        segments = _segments(tx, panel, with_segments=with_segments)
        try:
            found = newest_together(tx, panel, windows, segments, is_change=is_change)
        except StratawatchError as trouble:
            troubles[panel] = trouble
        else:
            rows += [_row(panel, part, one) for part in found for one in part.estimates]
            if alone := [part for part in found if not part.estimates]:
                troubles[panel] = _nothing_before(alone)
    if troubles and not rows:
        several = "; ".join(f"{panel}: {trouble}" for panel, trouble in troubles.items())
        raise StratawatchError(several) if len(troubles) > 1 else next(iter(troubles.values()))
    return rows, troubles


def show_together(rows: Sequence[Mapping[str, Any]], *, by_method: bool = False) -> None:
    """Print them, panel by panel; `by_method` adds how they were counted."""
    if not rows:
        print_line("Nothing is judged yet. `stratawatch status` says what the cycles wait for.")
    for panel, mine in _parts(rows):
        first = mine[0]
        some = f"{first['windows']:,} of " if first["windows"] < first["windows_in_span"] else ""
        several = some + count_text(first["windows_in_span"], "window")
        newest = f"{several} together, {span_text(first['since'], first['until'])}"
        before = f"; change from {count_text(first['windows_before'], 'window')}"
        print_line(f"{panel}: {newest}{before if first['windows_before'] else ''}")
        if first["why_fewer"]:
            print_line(f"not more, as {first['why_fewer']}", indent="  ")
        cells = [_cells(row, by_method=by_method) for row in mine]
        show_rows(cells, how_to_read=_how_to_read(mine), numbers=("labels", "n_eff"))
        levels = " and ".join(confidence_text(level) for level in sorted({row["confidence"] for row in mine}))
        print_line(f"Intervals at {levels}; they know which labels several windows share")
        if by_method:
            show_method(mine)


def _parts(rows: Sequence[Mapping[str, Any]]) -> list[tuple[str, list[Mapping[str, Any]]]]:
    """The rows of the same windows under their panel's name, with the classifiers' where those of others are fewer."""
    parts: dict[tuple[Any, ...], list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        parts[row["panel"], row["since"], row["windows"], row["windows_before"], row["why_fewer"]].append(row)
    panels = Counter(panel for panel, *_ in parts)
    return [
        (panel if panels[panel] == 1 else f"{panel}, {', '.join(dict.fromkeys(r['classifier'] for r in mine))}", mine)
        for (panel, *_), mine in parts.items()
    ]


def _nothing_before(parts: "Sequence[NewestTogether]") -> StratawatchError:
    """Why some classifiers of a panel have no row beside those of others."""
    names = " and ".join(name for part in parts for name in part.classifiers)
    return StratawatchError(f"there is no window before to compare {names} with", hint=parts[0].why_fewer)


def _segments(tx: "Transaction", panel: str, *, with_segments: bool) -> "list[Segment | None]":
    """Everything, and the segments that have a limit, or all that the newest window was estimated in."""
    found: dict[Segment | None, None] = {None: None}
    for cycle, revision in tx.estimates.history(panel, newest=1):
        limits = tx.panels.get(cycle.panel_version).limits
        some = (one.segment for one in (revision.estimates if with_segments else limits))
        found |= dict.fromkeys(some)
    return list(found)


def _row(panel: str, found: "NewestTogether", estimate: "Estimate") -> dict[str, Any]:
    from stratawatch.core.estimate import Undefined

    result = estimate.result
    return {
        "panel": panel,
        "windows": len(found.newest),
        "windows_in_span": found.newest[-1].period - found.newest[0].period + 1,
        "windows_before": len(found.before),
        "why_fewer": found.why_fewer or None,
        "since": found.newest[0].window.start,
        "until": found.newest[-1].window.end,
        "classifier": estimate.classifier,
        "metric": estimate.metric,
        "segment": str(estimate.segment) if estimate.segment else None,
        **{name: getattr(result, name, None) for name in ("value", "low", "high", "half_width", "n_eff")},
        "undefined": result.reason if isinstance(result, Undefined) else None,
        "confidence": estimate.confidence,
        "labels_used": estimate.labels_used,
        "method": estimate.method,
    }


def _how_to_read(rows: Sequence[Mapping[str, Any]]) -> str:
    """One of the rows in a sentence."""
    row = next((row for row in rows if row["undefined"] is None), rows[0])
    if row["undefined"] is not None:
        return f"the {stream_in_words(row)} cannot be told; why stands beside it"
    if not row["windows_before"]:
        named = row["value"], row["low"], row["high"], row["confidence"], row["labels_used"]
        return estimate_in_words(stream_in_words(row), *named)
    low, high = sorted((row["low"], row["high"]))
    sure = f"with {confidence_text(row['confidence'])} certainty between {signed_points(low)} and {signed_points(high)}"
    return f"the {stream_in_words(row)} moved by {signed_points(row['value'])}, {sure}"


def _value(row: Mapping[str, Any]) -> str:
    """A value with its interval; a change is in points, and a negative one may be good.

    >>> _value({"windows_before": 1, "value": -0.04, "low": -0.091, "high": 0.012})
    '−4.0 pts (−9.1 to +1.2)'
    """
    if not row["windows_before"]:
        return value_text(row)
    half = (row["high"] - row["low"]) / 2
    low, high = (signed_points(row[end], half).removesuffix(" pts") for end in ("low", "high"))
    return f"{signed_points(row['value'], half)} ({low} to {high})"


def _cells(row: Mapping[str, Any], *, by_method: bool) -> dict[str, str]:
    how = {"n_eff": "" if row["n_eff"] is None else count(row["n_eff"])} if by_method else {}
    return {
        "metric": stream_text(row),
        "value": _value(row) if row["undefined"] is None else f"undefined: {row['undefined']}",
        "labels": f"{row['labels_used']:,}",
        **how,
    }
