"""The picture of docs/methods/bennett.md: precision near 1, where stopping by the interval deceives."""

from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from benchmarks.papers.bennett.failures import ALONE, MARGINS, alone
from benchmarks.papers.bennett.simulation import Ended
from benchmarks.papers.bennett.ways import PERC_OPT, RANDOM

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COLOURS: Final = {RANDOM.name: "#D55E00", PERC_OPT.name: "#0072B2"}  # Okabe and Ito: told apart by everyone
_NAMES: Final = {RANDOM.name: "random sampling", PERC_OPT.name: "perc opt"}
_LINES: Final = dict(zip(MARGINS, ("-", "--"), strict=True))
_PRECISIONS: Final = (0.6, 0.7, 0.75, 0.8, 0.85, 0.875, 0.9, 0.92, 0.94, 0.95, 0.96, 0.97, 0.98, 0.99)
_SHOWN: Final = 0.95
_POINTS: Final = 250


def draw(file: Path, seed: int, runs: int) -> None:
    """Left: how often the interval held the truth. Right: where runs ended at one precision."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    file.parent.mkdir(parents=True, exist_ok=True)
    with mpl.rc_context({"svg.hashsalt": "stratawatch", "svg.fonttype": "none", "font.size": 9}):
        figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
        _coverage(left, seed, runs)
        _ends(right, seed, min(runs, _POINTS))
        figure.savefig(file, metadata={"Date": None, "Creator": None})
        plt.close(figure)


def _coverage(axes: "Axes", seed: int, runs: int) -> None:
    axes.axhline(0.95, color="#999999", linewidth=1)
    axes.text(0.6, 0.972, "promised: 95%", color="#666666")
    for way in ALONE:
        for margin in MARGINS:
            found = alone(way, _PRECISIONS, margin, seed, runs)
            places, held = [truth for truth, _ in found], [ended.covered(truth) for truth, ended in found]
            label = f"{_NAMES[way.name]}, ± {margin}"
            axes.plot(places, held, _LINES[margin], color=_COLOURS[way.name], marker="o", markersize=3, label=label)
    axes.set(xlabel="true precision", ylabel="share of runs", ylim=(0, 1.02))
    axes.set_title("Intervals at the stop that hold the truth")
    axes.legend(loc="lower left", frameon=False)


def _ends(axes: "Axes", seed: int, runs: int) -> None:
    margin = MARGINS[0]
    for way in ALONE:
        [(truth, ended)] = alone(way, [_SHOWN], margin, seed, runs)
        axes.scatter(ended.labels, ended.values, 9, _COLOURS[way.name], alpha=0.5, linewidths=0, label=_NAMES[way.name])
        if way is RANDOM:
            _first_stop(axes, ended)
    axes.axhspan(truth - margin, truth + margin, color="#009E73", alpha=0.15, linewidth=0)
    axes.text(55, truth, "the truth ± 0.01", color="#00694D", va="center")
    axes.set(xscale="log", xlim=(45, 2900), xlabel="labels when it stopped", ylabel="estimate")
    axes.set_xticks(ticks := [50, 100, 200, 500, 1000, 2000], [str(tick) for tick in ticks])
    axes.set_xticks(np.zeros(0), minor=True)
    axes.set_title(f"Where {runs} runs each ended, precision {_SHOWN:.2f}")
    axes.legend(loc="upper right", frameon=False)


def _first_stop(axes: "Axes", ended: Ended) -> None:
    """Say how many runs one dot stands for: those that met nothing but yes."""
    first = ended.labels == ended.labels.min()
    labels, value = int(ended.labels.min()), float(ended.values[first][0])
    axes.annotate(
        f"{first.sum()} runs: {labels} labels, all yes", (labels, value), (4, -16), textcoords="offset points"
    )
