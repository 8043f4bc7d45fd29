"""What `estimates --method` says below its rows: what its columns count, and how values and intervals are made."""

from collections.abc import Mapping, Sequence
from typing import Any

from stratawatch.cli.output import metric_text, print_line


def show_method(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print what n_eff and deff are, and the methods of each metric."""
    print_line("n_eff: how many labels of a simple random draw would tell as much")
    if any(row.get("deff") is not None for row in rows):
        print_line(
            "deff: labels come in clusters, so that the variance is so many times larger; below 1 it counts as 1"
        )
    defined = [row for row in rows if row["value"] is not None]
    for metric in dict.fromkeys(row["metric"] for row in defined):
        methods = dict.fromkeys(row["method"] for row in defined if row["metric"] == metric)
        print_line(f"{metric_text(metric)}: {'; '.join(methods)}")
