"""stratawatch census: what a window holds, cut into atoms as a cycle would cut it. Nothing is written."""

from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from stratawatch.cli.bad_rows import bad_row_facts, fault_rows, print_faults
from stratawatch.cli.options import DEFAULT_CONFIG, ConfigOption, JsonOption, NowOption, chosen_panels, moment
from stratawatch.cli.output import print_documents, print_line, time_text, window_text
from stratawatch.cli.pictures import require_picture, write_picture
from stratawatch.cli.progress_bar import shown_progress
from stratawatch.cli.table_output import show_rows
from stratawatch.cli.window_option import WindowOption, newest_window, window_holding
from stratawatch.errors import StratawatchError
from stratawatch.formatting import count_text, percent, score_text

if TYPE_CHECKING:
    from stratawatch.core.population import Census
    from stratawatch.engine.input.assess_window import WindowAssessment
    from stratawatch.engine.model.panel_spec import PanelSpec, Window
    from stratawatch.wiring import Installation

SHOWN: Final = 12
"""Patterns, atoms and segments that a person is shown without asking for all."""
# They tell scores apart, except very near to 0 and 1.
_SCORE_DECIMALS: Final = 4

PictureOption = Annotated[
    Path | None, typer.Option("--picture", help="Draw patterns against scores, .svg or .png.", metavar="FILE")
]


def census(
    panel: Annotated[str | None, typer.Argument(help="The panel; all of them without.", metavar="[PANEL]")] = None,
    window: WindowOption = None,
    every: Annotated[bool, typer.Option("--all", help="Everything, not only the largest.")] = False,
    picture: PictureOption = None,
    config: ConfigOption = DEFAULT_CONFIG,
    json: JsonOption = False,
    now: NowOption = None,
) -> None:
    """What is in a window? Counts the newest complete one and cuts it as a cycle would; nothing is written.

    An atom holds the items on which all classifiers make the same calls (a pattern) within a range of mean scores: the
    smallest group that estimates treat separately. Strata, which items are drawn from, unite atoms.

    \b
    Examples:
      stratawatch census
      stratawatch census toxicity --window 2026-01-05
      stratawatch census toxicity --picture atoms.svg
    """
    from stratawatch.wiring import build

    installation = build(config, moment(now), only_reading=True)
    names = chosen_panels(panel, list(installation.panels))
    if picture is not None and len(names) > 1:
        raise StratawatchError("--picture draws one panel", expected=f"one panel: {', '.join(names)}")
    if picture is not None:
        require_picture(picture)  # before minutes are spent on counting
    with shown_progress():
        documents = [_counted(installation, installation.panels[name], window, picture) for name in names]
    print_documents("censuses", documents, partial(_show, every=every), json=json)
    if picture is not None and not json:
        print_line()
        print_line(f"wrote {picture}")


def _counted(installation: "Installation", spec: "PanelSpec", at: str | None, picture: Path | None) -> dict[str, Any]:
    from stratawatch.engine.input.assess_window import assess_window
    from stratawatch.engine.model.windows import newest_ended_period

    period, window = newest_window(installation, spec) if at is None else window_holding(spec, at)
    now = installation.ports.clock.now()
    found = assess_window(installation.ports, spec, window, period, opened_at=now, with_candidates=False)
    if picture is not None:
        _draw(picture, spec, window, found)
    complete = period <= newest_ended_period(spec.windows, now)
    return {"panel": spec.name, "period": period, "complete": complete, **_document(spec, window, found)}


def _draw(path: Path, spec: "PanelSpec", window: "Window", found: "WindowAssessment") -> None:
    from stratawatch.report.population_chart import draw_atoms

    if not found.atoms:
        raise StratawatchError(
            "there is nothing to draw", got=found.refusal.sentence if found.refusal else f"no predictions in {window}"
        )
    write_picture(path, lambda place: draw_atoms(place, spec.name, window, found.counted.census, found.atoms))


def _document(spec: "PanelSpec", window: "Window", found: "WindowAssessment") -> dict[str, Any]:
    from stratawatch.core.population import NO_BIN
    from stratawatch.core.score_bins import edges

    counted, profile = found.counted.census, found.profile
    return {
        "window_start": window.start,
        "window_end": window.end,
        "items": counted.size,
        "rows": profile.rows,
        "bad_rows": profile.bad_rows,
        "faults": fault_rows(spec, profile, found.counted.bad_rows),
        "first_time": profile.first_time,
        "last_time": profile.last_time,
        "past_labels": len(found.history),
        "classifiers": [{"classifier": name, **column} for name, column in profile.columns.items()],
        "auxiliary": list(counted.auxiliary),
        "segments": [
            {"segment": str(segment), "items": int(counts.sum())} for segment, counts in counted.segments.items()
        ],
        "without_segment": [{"column": column, "items": _without(counted, column)} for column in spec.columns.segments],
        "refusal": found.refusal.sentence if found.refusal else None,
        "strata": len({atom.stratum for atom in found.atoms}),
        "atoms": [
            {
                "stratum": atom.stratum,
                "pattern": atom.pattern,
                "from_score": None if atom.first_bin == NO_BIN else edges(atom.first_bin)[0],
                "to_score": None if atom.last_bin == NO_BIN else edges(atom.last_bin)[1],
                "mean_score": atom.mean_score,
                "items": atom.size,
            }
            for atom in found.atoms
        ],
        "bad": [{"item": row.key, **bad_row_facts(row)} for row in found.counted.bad_rows],
        "source_version": found.counted.source_version,
    }


def _show(document: dict[str, Any], *, every: bool) -> None:
    running = "" if document["complete"] else ", not complete yet"
    print_line(f"{document['panel']}, window {window_text(document)}{running}: {count_text(document['items'], 'item')}")
    if not document["rows"]:
        print_line("A cycle on it would be refused.")
        return
    print_line(f"Times from {time_text(document['first_time'])} to {time_text(document['last_time'])}")
    if document["bad_rows"]:
        faults = document["faults"] if every else document["faults"][:SHOWN]
        print_faults(document["bad_rows"], document["rows"], faults)
    print_line()
    print_line("What classifiers said")
    said = [_said(row, document["rows"]) for row in document["classifiers"]]
    yes = said[0]["yes"] or "none"
    how_to_read = f"of {count_text(document['rows'], 'row')} {said[0]['classifier']} called {yes} yes"
    show_rows(said, how_to_read=how_to_read, numbers=_COUNTS)
    if document["without_segment"] and document["items"]:
        print_line()
        _show_segments(document, every=every)
    print_line()
    if document["refusal"]:
        print_line(f"A cycle on it would be refused: {document['refusal']}")
    if not document["atoms"]:
        return
    _show_atoms(document, every=every)


_COUNTS: Final = ("yes", "no", "nothing", "without a score", "unreadable")


def _said(row: dict[str, Any], rows: int) -> dict[str, str]:
    no = rows - row["positives"] - row["nulls"] - row["invalid"]
    return {
        "classifier": row["classifier"],
        "yes": _part(row["positives"], rows),
        "no": _part(no, rows),
        "nothing": _part(row["nulls"], rows),
        "without a score": _part(row["score_nulls"], rows),
        "unreadable": _part(max(row["invalid"], row["score_invalid"]), rows),
    }


def _part(number: int, whole: int) -> str:
    return f"{number:,} ({percent(number / whole)})" if number else ""


def _segment(row: dict[str, Any], items: int) -> dict[str, str]:
    return {"segment": row["segment"], "items": f"{row['items']:,}", "share": percent(row["items"] / items)}


def _show_segments(document: dict[str, Any], *, every: bool) -> None:
    segments = [_segment(row, document["items"]) for row in _ordered(document["segments"])]
    _show_largest("segment", segments, every, "{items} items, {share} of all, are in the segment {segment}")
    for row in document["without_segment"]:
        if row["items"]:
            print_line(f"items without a value of {row['column']}: {_part(row['items'], document['items'])}")


def _without(counted: "Census", column: str) -> int:
    """How many items are in no segment of a column."""
    return counted.size - sum(int(n.sum()) for segment, n in counted.segments.items() if segment.column == column)


def _ordered(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(rows, key=lambda row: -int(row["items"]))


def _show_atoms(document: dict[str, Any], *, every: bool) -> None:
    atoms = _ordered(document["atoms"])
    order = ", ".join([*(row["classifier"] for row in document["classifiers"]), *document["auxiliary"]])
    print_line(f"Patterns: what {order} say, in this order (1 yes, 0 no, - nothing)")
    patterns = _patterns(atoms, document["items"])
    _show_largest("pattern", patterns, every, "of {items} items, {share} of all, classifiers said {pattern}")
    print_line()
    strata = count_text(document["strata"], "stratum", "strata")
    print_line(f"Atoms: {len(atoms):,}, drawn from in {strata}")
    atom = "{items} items have the pattern {pattern} and scores of {scores}; they are drawn from in stratum {stratum}"
    _show_largest("atom", [_atom(row, document["items"]) for row in atoms], every, atom)


def _patterns(atoms: list[dict[str, Any]], items: int) -> list[dict[str, str]]:
    """Patterns with the items and the number of their atoms, the largest first."""
    sizes: Counter[str] = Counter()
    numbers = Counter(atom["pattern"] for atom in atoms)
    for atom in atoms:
        sizes[atom["pattern"]] += atom["items"]
    return [
        {"pattern": pattern, "items": f"{size:,}", "share": percent(size / items), "atoms": str(numbers[pattern])}
        for pattern, size in sorted(sizes.items(), key=lambda one: (-one[1], one[0]))
    ]


def _show_largest(word: str, cells: list[dict[str, str]], every: bool, row: str) -> None:
    """Print the largest first, or every one; `row` says one of them as a sentence, with cells in braces."""
    numbers = ("items", "share", "mean score", "atoms", "stratum")
    if cells:
        show_rows(cells if every else cells[:SHOWN], how_to_read=row.format(**cells[0]), numbers=numbers)
    more = len(cells) - SHOWN
    if more > 0 and not every:
        print_line(f"and {count_text(more, f'smaller {word}')}; --all shows them")


def _atom(row: dict[str, Any], items: int) -> dict[str, str]:
    low, high, mean = (score_text(row[key], _SCORE_DECIMALS) for key in ("from_score", "to_score", "mean_score"))
    return {
        "pattern": row["pattern"],
        "scores": f"{low} to {high}" if low else "none",
        "mean score": mean,
        "items": f"{row['items']:,}",
        "share": percent(row["items"] / items),
        "stratum": str(row["stratum"]),
    }
