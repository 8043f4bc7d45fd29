"""The picture of docs/methods/tripathi.md: what is saved, and what UniformSample's intervals are worth."""

from pathlib import Path
from typing import Any, Final

import numpy as np

from benchmarks.papers.tripathi import coverage, ensemble
from benchmarks.papers.tripathi.labelling import runs
from benchmarks.shape import Options
from stratawatch.literature.tripathi.mixing import UNIFORM_SAMPLE, UNIFORM_SHUFFLE

BLUE, VERMILION, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#666666"
"""Okabe and Ito's palette."""
NAME: Final = "tripathi.svg"


def draw(folder: Path, options: Options) -> None:
    """Savings child by child and together; coverage of 95% intervals case by case."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context({"svg.hashsalt": "stratawatch", "font.size": 9, "svg.fonttype": "path"}):
        figure = Figure(figsize=(10, 4.2), layout="constrained")
        left, right = figure.subplots(1, 2, width_ratios=(2, 3))
        _savings(left, options)
        _coverage(right, options)
        folder.mkdir(parents=True, exist_ok=True)
        figure.savefig(folder / NAME, metadata={"Date": None, "Creator": None})


def _savings(axes: Any, options: Options) -> None:
    trials = ensemble.simulate(options.seed, runs(options, ensemble.FULL, ensemble.QUICK), "uniform")
    found = trials[UNIFORM_SHUFFLE]
    columns = [*found.saved.T, found.collective]
    boxes = axes.boxplot(columns, whis=(2.5, 97.5), showfliers=False, patch_artist=True, widths=0.55)
    for box, colour in zip(boxes["boxes"], [BLUE] * 3 + [GREEN], strict=True):
        box.set(facecolor=colour, alpha=0.35, edgecolor=colour)
    for median, colour in zip(boxes["medians"], [BLUE] * 3 + [GREEN], strict=True):
        median.set(color=colour, linewidth=2)
    for place, column in enumerate(columns, start=1):
        axes.annotate(f"{np.median(column):.0f}%", (place + 0.33, np.median(column)), va="center", fontsize=8)
    axes.axhline(ensemble.PUBLISHED, color=GREY, linewidth=0.8, linestyle="--")
    axes.annotate("paper: > 85%", (4.78, ensemble.PUBLISHED + 1), ha="right", va="bottom", color=GREY, fontsize=8)
    axes.set_xticks(range(1, 5), ["ML1", "ML2", "ML3", "all four,\ndistinct items"])
    axes.set(
        xlim=(0.5, 4.8), ylim=(0, 102), ylabel="labels saved, %", title="Section 5.2: savings by child and together"
    )
    _clean(axes)


def _coverage(axes: Any, options: Options) -> None:
    trials = runs(options, coverage.FULL, coverage.QUICK)
    found = coverage.simulate(options.seed, trials)
    places = np.arange(len(coverage.CASES))[::-1]
    looks = (
        (UNIFORM_SHUFFLE, "nominal", BLUE, "o", "UniformShuffle, usual interval"),
        (UNIFORM_SAMPLE, "nominal", VERMILION, "o", "UniformSample, usual interval"),
        (UNIFORM_SAMPLE, "ours", VERMILION, "|", "UniformSample, repeats counted"),
    )
    axes.axvspan(*(0.95 + 2 * np.array([-1, 1]) * (0.95 * 0.05 / trials) ** 0.5), color=GREY, alpha=0.25, linewidth=0)
    axes.axvline(0.95, color=GREY, linewidth=0.8)
    for option, interval, colour, marker, label in looks:
        values = [getattr(found[case, option], interval) for case in coverage.CASES]
        axes.plot(values, places, marker, color=colour, label=label, markersize=9 if marker == "|" else 5)
    axes.set_yticks(places, [case.name for case in coverage.CASES])
    axes.set(
        xlim=(0.6, 1.0),
        ylim=(-0.6, len(places) + 1.6),
        xlabel="coverage of 95% intervals",
        title="How often the intervals hold the truth",
    )
    axes.legend(loc="upper left", fontsize=8, frameon=False)
    _clean(axes)


def _clean(axes: Any) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="both", color="#dddddd", linewidth=0.5)
    axes.set_axisbelow(True)
