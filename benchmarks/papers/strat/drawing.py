"""The pictures of docs/methods/strat.md."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from benchmarks.papers.strat import clustering, groups, joint
from benchmarks.papers.strat.tallies import DELTA, GROUPS, PAIRS, Tally

COLOURS: Final = {
    joint.OWN: "#000000",
    joint.SMOOTH: "#CC79A7",
    DELTA: "#0072B2",
    GROUPS: "#D55E00",
    PAIRS: "#009E73",
    clustering.BINOMIAL: "#D55E00",
    clustering.CLUSTERS: "#009E73",
}
MARKS: Final = {
    joint.OWN: "D",
    joint.SMOOTH: "v",
    DELTA: "o",
    GROUPS: "s",
    PAIRS: "^",
    clustering.BINOMIAL: "s",
    clustering.CLUSTERS: "^",
}
_NAMES: Final = {"f1": "F1"}


def draw(
    path: Path, joint_cells: Sequence[joint.Cell], group_cells: Sequence[groups.Cell], whole: Sequence[clustering.Whole]
) -> None:
    """Three panels: the joint design, the cost of groups, clusters."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    mpl.rcParams.update(
        {"svg.hashsalt": "stratawatch", "font.size": 9, "axes.spines.top": False, "axes.spines.right": False}
    )
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(12, 4.2), constrained_layout=True)
    _joint(left, joint_cells)
    _groups(middle, group_cells)
    _clusters(right, whole)
    for axis in (left, middle, right):
        axis.axhline(0.95, color="0.6", linewidth=0.8, zorder=0)
        axis.set_ylabel("coverage of 95% intervals")
    figure.savefig(path, metadata={"Date": None, "Creator": None})
    plt.close(figure)


def _joint(axis: Any, cells: Sequence[joint.Cell]) -> None:
    """A point a cell, metric by metric, ways side by side."""
    ways = (joint.OWN, joint.SMOOTH, DELTA, PAIRS, GROUPS)
    for w, way in enumerate(ways):
        for m, metric in enumerate(joint.METRICS):
            for c, cell in enumerate(cells):
                x = m + 0.18 * (w - 2) + 0.12 * ((c + 0.5) / len(cells) - 0.5)
                _point(axis, x, cell.tallies[way, metric], way, label=way if m == c == 0 else None)
    axis.set_ylim(bottom=0.8)
    axis.set_xticks(range(len(joint.METRICS)), [_NAMES.get(metric, metric) for metric in joint.METRICS])
    axis.set_title(f"joint design, {len(cells)} cells of {cells[0].labels} to {cells[-1].labels:,} labels")
    axis.legend(frameon=False, fontsize=8, loc="lower left")


def _groups(axis: Any, cells: Sequence[groups.Cell]) -> None:
    for way, aside in zip(groups.WAYS, (0.94, 1.0, 1.06), strict=True):
        for alike, style in ((True, "-"), (False, ":")):
            found = [cell for cell in cells if cell.alike == alike]
            heights = [cell.tallies[way].coverage for cell in found]
            axis.plot([cell.strata * aside for cell in found], heights, style, color=COLOURS[way], linewidth=1)
            for cell in found:
                label = way if alike and cell is found[0] else None
                _point(axis, cell.strata * aside, cell.tallies[way], way, label=label)
    axis.set_xscale("log")
    axis.set_xticks(groups.STRATA, [str(strata) for strata in groups.STRATA])
    axis.minorticks_off()
    axis.set_xlabel("strata that share 240 labels")
    axis.set_title("random groups (dotted: weights unlike)")
    axis.legend(frameon=False, fontsize=8, loc="lower left")


def _clusters(axis: Any, cells: Sequence[clustering.Whole]) -> None:
    rho = [cell.correlation for cell in cells]
    axis.plot(rho, [cell.foretold for cell in cells], "--", color="0.4", linewidth=1, label="Kish's formula")
    for way in (clustering.BINOMIAL, clustering.CLUSTERS):
        for place, cell in enumerate(cells):
            _point(axis, cell.correlation, cell.tallies[way], way, label=way if place == 0 else None)
    axis.set_xlabel("correlation inside clusters of 6")
    axis.set_title("61 clusters, drawn whole")
    axis.legend(frameon=False, fontsize=8, loc="lower left")


def _point(axis: Any, x: float, tally: Tally, way: str, label: str | None) -> None:
    axis.errorbar(
        [x],
        [tally.coverage],
        yerr=[1.96 * tally.error],
        fmt=MARKS[way],
        color=COLOURS[way],
        markersize=4,
        elinewidth=0.8,
        label=label,
    )
