"""The picture of docs/methods/kumar.md: where OPT goes wrong as printed, and where EQU does."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from benchmarks.papers.kumar.curves import Design, points
from benchmarks.papers.kumar.populations import EPSILON, SETS
from benchmarks.papers.kumar.tables import AT, EVERY
from stratawatch.literature.kumar.stratification import STRATIFIERS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS: Final = {
    "PRO": "#009E73",
    "OPT-A2": "#D55E00",
    "OPT-A2, smoothed": "#0072B2",
}
LABELS: Final = (60, 80, 120, 200, 300, 500, 700, 1000)
NAMES: Final = {"PRO": "PRO", "OPT-A2": "OPT-A2 as printed", "OPT-A2, smoothed": "OPT-A2, smoothed"}


def draw(folder: Path, runs: int, seed: int) -> None:
    """Three panels as one SVG, the same bytes for the same numbers."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context({"svg.hashsalt": "kumar", "font.size": 9}):
        figure = Figure(figsize=(9.6, 3.4), layout="constrained")
        bias, coverage, cells = figure.subplots(1, 3)
        _adaptive(bias, coverage, runs, seed)
        _stratifiers(cells, runs, seed)
        folder.mkdir(parents=True, exist_ok=True)
        figure.savefig(folder / "kumar.svg", metadata={"Date": None, "Creator": None})


def _adaptive(bias: "Axes", coverage: "Axes", runs: int, seed: int) -> None:
    for name in NAMES:
        found = points(Design(EPSILON, "EQSZ", 6, EVERY[name]), LABELS, runs, seed)
        style: dict[str, Any] = {"color": COLOURS[name], "marker": "o", "markersize": 3, "label": NAMES[name]}
        bias.plot(LABELS, [100 * point.bias.value for point in found], **style)
        coverage.plot(LABELS, [100 * point.coverage for point in found], **style)
    bias.axhline(0, color="0.6", linewidth=0.8)
    coverage.axhline(95, color="0.6", linewidth=0.8)
    bias.set_title("Bias, accuracy 88%")
    bias.set_ylabel("percentage points")
    coverage.set_title("Coverage of the 95% interval")
    coverage.set_ylabel("percent of runs")
    coverage.set_ylim(0, 100)
    for axes in (bias, coverage):
        axes.set_xscale("log")
        axes.set_xticks([60, 100, 200, 500, 1000], ["60", "100", "200", "500", "1000"])
        axes.minorticks_off()
        axes.set_xlabel("labels")
    bias.legend(frameon=False, loc="center right")


def _stratifiers(axes: "Axes", runs: int, seed: int) -> None:
    """Variance against random sampling, by stratifier and data set, for equal allocation."""
    for (name, shape), marker in zip(SETS.items(), "osD", strict=True):
        found = [points(Design(shape, by, 10, EVERY["EQU"]), [AT], runs, seed)[0] for by in STRATIFIERS]
        ratios = [point.variance_ratio.value for point in found]
        colour = {"rcv1": "#0072B2", "epsilon": "#D55E00", "news20": "#009E73"}[name]
        axes.plot(ratios, list(STRATIFIERS), marker, color=colour, markersize=5, label=f"{name}, {shape.accuracy:.0%}")
    axes.axvline(1, color="0.6", linewidth=0.8)
    axes.set_xscale("log")
    axes.set_xticks([0.4, 0.6, 1, 1.5, 2.5], ["0.4", "0.6", "1", "1.5", "2.5"])
    axes.minorticks_off()
    axes.set_title(f"EQU, K = 10, {AT} labels")
    axes.set_xlabel("variance, random sampling = 1")
    axes.invert_yaxis()
    axes.legend(
        frameon=False, loc="upper center", bbox_to_anchor=(0.45, -0.17), ncols=3, columnspacing=0.8, handletextpad=0.1
    )
