"""Which items a cycle would ask about, as `plan --dry-run` prints it: by who calls them, or stratum by stratum."""

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any, Final

from stratawatch.cli.expected_pages import show_pages
from stratawatch.cli.output import print_line, stream_in_words, stream_text, window_text
from stratawatch.cli.table_output import show_rows
from stratawatch.core.plan import LOOKS_HARDER
from stratawatch.formatting import capitalised, count_text, percent, score_text

MOST_NAMED: Final = 3
"""Ways in which the items of a row are called that are named, the most frequent first."""

_LEAST_SHOWN: Final = 0.001
"""Half-widths below it are said in words: 0% reads as if nobody had counted."""
NOTHING: Final = 1e-6
"""Half-widths below it are rounding: no item is left to be labelled."""

Notes = Sequence[Callable[[dict[str, Any]], None]]


def show_planned_items(document: dict[str, Any], notes: Notes, *, by_method: bool) -> None:
    """Print what a cycle would ask for; each of `notes` prints what else to know of the budget and the question."""
    print_line(f"{document['panel']}, window {window_text(document)}: {count_text(document['items'], 'item')}")
    asked = f"{count_text(document['labels_new'], 'label')} of a budget of {document['budget']:,}"
    known = document["labels"] - document["labels_new"]
    asked += f", beside {known:,} known already" if known else ""
    past = document["past_labels"]
    print_line(f"{asked}, planned from {count_text(past, 'past label') if past else guides(document)}")
    if document["looks_harder"]:
        print_line(f"The plan {LOOKS_HARDER}.")
    for note in notes:
        note(document)
    print_line()
    if by_method:
        _show_strata(document)
    else:
        _show_called(document)
    print_line()
    print_line("Intervals to expect, as their value ± so much")
    for first in document["expected"][:1]:
        cells = [_expected_cells(row) for row in document["expected"]]
        known = f"to {cells[0]['interval']}" if "±" in cells[0]["interval"] else f"so: {cells[0]['interval']}"
        how_to_read = f"the {stream_in_words(first)} would be known {known}"
        show_rows(cells, how_to_read=how_to_read, numbers=("interval", "margin"))
    if document["focus"]:
        print_line()
        print_line(capitalised(document["focus"]))
    if document["random_numbers"]:
        print_line()
        print_line(f"Random numbers {document['random_numbers']}")
    if document["pages"]:
        print_line()
        print_line("Windows until a fall beyond its limit is paged, on average, if these labels come each time")
        show_pages(document["pages"])


def guides(document: dict[str, Any]) -> str:
    """What a plan goes by before there are labels."""
    return "scores alone" if document["has_scores"] else "calls alone, as no score is used"


def width_text(row: dict[str, Any]) -> str:
    """How far an interval may reach to either side, or what is expected where the design tells no range.

    >>> width_text({"half_width": 0.02, "half_width_low": 0.01, "half_width_high": 0.03})
    '±1.00% to 3.00%'
    >>> width_text({"half_width": 0.0, "half_width_low": 0.0, "half_width_high": 0.0})
    'every item is labelled'
    """
    if row["half_width"] is None:
        return "undefined"
    low, high = row["half_width_low"], row["half_width_high"]
    low, high = (row["half_width"],) * 2 if low is None else (low, high)
    if high < NOTHING:
        return "every item is labelled"
    if high < _LEAST_SHOWN:
        return f"below {percent(_LEAST_SHOWN)}"
    if low < _LEAST_SHOWN:
        return f"±{percent(high)} at most" if row["half_width_low"] is not None else f"±{percent(high)}"
    return f"±{percent(low)}" if row["half_width_low"] is None else f"±{percent(low)} to {percent(high)}"


def _show_called(document: dict[str, Any]) -> None:
    """Print a row for the items that the same classifiers call, those that are called most seldom last."""
    print_line("Which items would be asked about, by the classifiers that say yes")
    names = document["classifiers"]
    rows = sorted((_called(row["atoms"], names), row["items"], row["labels"]) for row in document["strata"])
    cells = []
    for called, several in groupby(rows, key=lambda row: row[0]):
        alike = list(several)
        items, labels = sum(row[1] for row in alike), sum(row[2] for row in alike)
        cells.append({"yes by": called, "items": f"{items:,}", "labels": f"{labels:,}"})
    cells.sort(key=lambda row: -int(row["items"].replace(",", "")))
    first = cells[0]
    how_to_read = (
        f"{first['items']} items are called yes by {first['yes by']}, and {first['labels']} of them get a label"
    )
    show_rows(cells, how_to_read=how_to_read, numbers=("items", "labels"))
    print_line("--method tells these items apart as labels are drawn from them")


def _called(atoms: Sequence[dict[str, Any]], names: Sequence[str]) -> str:
    """Who calls the items of a stratum, in words: auxiliary scores, whose letters are the last, are left out."""
    sizes: dict[str, int] = {}
    for atom in atoms:
        who = [name for name, letter in zip(names, atom["pattern"], strict=False) if letter == "1"]
        words = "nobody" if not who else "all" if len(who) == len(names) > 1 else " and ".join(who)
        sizes[words] = sizes.get(words, 0) + atom["items"]
    ordered = sorted(sizes, key=lambda words: (-sizes[words], words))
    more = len(ordered) - MOST_NAMED
    return " or ".join(ordered[:MOST_NAMED]) + (f" or {more} more ways" if more > 0 else "")


def _show_strata(document: dict[str, Any]) -> None:
    order = ", ".join([*document["classifiers"], *document["auxiliary"]])
    print_line(f"Strata; a pattern is what {order} say, in this order (1 yes, 0 no, - nothing)")
    cells = [_stratum_cells(row) for row in document["strata"]]
    first = cells[0]
    how_to_read = f"of the {first['items']} items with the patterns {first['patterns']} {first['labels']} get a label"
    show_rows(cells, how_to_read=how_to_read, numbers=("items", "labels", "mean score"))
    print_line(f"Method: {document['method']}")


def _stratum_cells(row: dict[str, Any]) -> dict[str, str]:
    return {
        "patterns": row["patterns"],
        "mean score": score_text(row["mean_score"]),
        "items": f"{row['items']:,}",
        "labels": f"{row['labels']:,}",
    }


def _expected_cells(row: dict[str, Any]) -> dict[str, str]:
    margin = row["margin"]
    return {
        "metric": stream_text(row),
        "interval": width_text(row),
        "margin": "" if margin is None else f"±{percent(margin)}",
        "remark": "wider than the margin" if margin is not None and row["half_width"] > margin else "",
    }
