"""The pictures of docs/methods/baselines.md, from the figures of the same run."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import matplotlib as mpl
import numpy as np

from benchmarks.papers.baselines.alarms import BASELINE_WEEKS, Pages, everything
from benchmarks.papers.baselines.coverage import DEPLOYED, Cell, measured
from benchmarks.papers.baselines.sizes import alarm_runs_of, runs_of
from benchmarks.papers.baselines.worlds import WORLDS
from benchmarks.shape import Options
from stratawatch.resampling import METHODS

COLOURS: Final = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7")
"""Okabe and Ito's, which the colour-blind tell apart."""
MARKS: Final = ("o", "s", "^", "X", "D")
WORDS: Final = {
    "holdout": "holdout",
    "random_subsampling": "random subsampling",
    "k_fold": "10 folds",
    "leave_one_out": "leave-one-out",
    "bootstrap_632": ".632 bootstrap",
}
RULES: Final = {
    "point, added up": "point, evidence added up",
    "point": "point, each week's interval",
    "drop's interval": "drop's interval, each week",
}
PROMISED: Final = 0.95


def figures(folder: Path, options: Options) -> None:
    """Coverage of the methods, and pages by the baseline's labels."""
    import matplotlib.pyplot as plt

    with mpl.rc_context({"svg.hashsalt": "baselines", "font.size": 9}):
        figure, (left, right) = plt.subplots(1, 2, figsize=(10.5, 3.8), width_ratios=(1.35, 1), layout="constrained")
        _coverage(left, measured(options.seed, runs_of(options)))
        _pages(right, everything(options.seed, alarm_runs_of(options)))
        folder.mkdir(parents=True, exist_ok=True)
        figure.savefig(folder / "baselines.svg", metadata={"Date": None, "Creator": None})
        plt.close(figure)


def _coverage(axes: Any, cells: Sequence[Cell]) -> None:
    """A row a method, a mark a world and metric."""
    for place, method in enumerate(reversed(METHODS)):
        for number, world in enumerate(WORLDS):
            [cell] = [c for c in cells if (c.world, c.method, c.truth) == (world.name, method, DEPLOYED)]
            heights = np.full(len(cell.coverage), place + 0.12 * (2 - number))
            label = world.name if place == 0 else None
            axes.scatter(cell.coverage, heights, s=22, c=COLOURS[number], marker=MARKS[number], label=label, alpha=0.85)
    axes.axvline(PROMISED, color="#000000", linewidth=0.8, linestyle="--")
    axes.set_yticks(range(len(METHODS)), [WORDS[method] for method in reversed(METHODS)])
    axes.set_xlim(-0.02, 1.01)
    axes.set_xlabel("how often a 95% interval holds the truth of the fit to all items")
    axes.set_title("Four metrics in five worlds", loc="left", fontsize=10)
    axes.legend(loc="upper left", frameon=False, fontsize=8)
    _plain(axes)


def _pages(axes: Any, pages: Sequence[Pages]) -> None:
    """A line a rule, for twenty streams."""
    for number, (rule, words) in enumerate(RULES.items()):
        chosen = {page.weeks: page.false for page in pages if page.rule == rule and page.streams == 20}
        heights = [chosen[weeks] for weeks in BASELINE_WEEKS]
        style = ("#D55E00", "#E69F00", "#0072B2")[number]
        axes.plot(BASELINE_WEEKS, heights, color=style, marker=MARKS[number], markersize=5, label=words)
    axes.axhline(1, color="#000000", linewidth=0.8, linestyle="--")
    axes.text(3, 0.93, "promised", ha="center", va="top", fontsize=8)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xticks(BASELINE_WEEKS, [str(weeks) for weeks in BASELINE_WEEKS])
    axes.minorticks_off()
    ticks = (0.5, 1, 2, 5, 10, 20, 50)
    axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.set_xlabel("weeks of 300 labels that the baseline is made of")
    axes.set_title("False pages a year, twenty streams", loc="left", fontsize=10)
    axes.legend(loc="upper right", frameon=False, fontsize=8)
    _plain(axes)


def _plain(axes: Any) -> None:
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
