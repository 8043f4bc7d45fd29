"""What labels buy, as a picture: half-width against budget, one frame a metric, one line a classifier."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from stratawatch.chart_colours import GREY, INK
from stratawatch.formatting import count, exact_points, percent
from stratawatch.report.chart_style import save_picture
from stratawatch.report.wording import metric_name

if TYPE_CHECKING:  # matplotlib takes half a second to load; only drawing needs it
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from stratawatch.engine.cycle.label_needs import LabelNeeds

COLOURS: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Okabe and Ito's, without the yellow, which white paper swallows."""
DASHES: Final = ("-", (0, (4, 1.5)), (0, (1, 1.2)))
MARKERS: Final = ("o", "s", "^", "D", "v", "P", "X")
_FRAME: Final = (3.6, 2.9)
_COLUMNS: Final = 3
_TICK_RATIO: Final = 1.2


def draw_curves(path: Path, panel: str, budget: int, outlook: "LabelNeeds") -> None:
    """Write the picture; the same outlook gives the same bytes."""
    save_picture(path, panel, lambda: _figure(panel, budget, outlook))


def _figure(panel: str, budget: int, outlook: "LabelNeeds") -> "Figure":
    from matplotlib.figure import Figure

    columns = min(_COLUMNS, len(outlook.metrics))
    rows = -(-len(outlook.metrics) // columns)
    figure = Figure(figsize=(_FRAME[0] * columns, _FRAME[1] * rows + 1.0), layout="constrained")
    figure.suptitle(f"{panel}: half-widths by labels, predicted from {_source(outlook)}", fontsize=10)
    frames = figure.subplots(rows, columns, squeeze=False).ravel()
    for place, frame in enumerate(frames):
        if place < len(outlook.metrics):
            _draw(frame, outlook, outlook.metrics[place], budget)
        else:
            frame.set_axis_off()
    lines, names = frames[0].get_legend_handles_labels()
    figure.legend(lines, names, loc="outside lower center", ncols=min(len(names), 5), frameon=False)
    return figure


def _source(outlook: "LabelNeeds") -> str:
    if outlook.from_history:
        return f"{count(outlook.past_labels)} past labels"
    return "scores alone" if outlook.has_scores else "calls alone"


def _draw(axes: "Axes", outlook: "LabelNeeds", metric: str, budget: int) -> None:
    for place, classifier in enumerate(_classifiers(outlook)):
        widths = [(step.labels, step.half_widths.get((classifier, metric))) for step in outlook.curve]
        defined = [(labels, width) for labels, width in widths if width is not None]
        axes.plot(
            [labels for labels, _ in defined],
            [width for _, width in defined],
            color=COLOURS[place % len(COLOURS)],
            linestyle=DASHES[place // len(COLOURS) % len(DASHES)],
            marker=MARKERS[place % len(MARKERS)],
            markersize=3.4,
            linewidth=1.4,
            label=classifier,
        )
    _mark(axes, outlook, metric, budget)
    _frame(axes, outlook, metric)


def _mark(axes: "Axes", outlook: "LabelNeeds", metric: str, budget: int) -> None:
    """Draw the panel's budget as a vertical line and its margins as horizontal ones."""
    quiet: Any = {"linewidth": 0.9, "zorder": 0}
    axes.axvline(budget, color=GREY, linestyle=(0, (1, 2)), **quiet)
    above = axes.get_xaxis_transform()
    axes.text(budget, 1.0, "budget ", color=GREY, rotation=90, ha="right", va="top", transform=above)
    for margin in sorted({goal.margin for goal in outlook.goals if goal.metric == metric}):
        axes.axhline(margin, color=INK, linestyle=(0, (4, 2)), **quiet)
        aside = axes.get_yaxis_transform()
        # At the left, where few labels leave half-widths far above it: at the right the lines run into it.
        axes.text(0.01, margin, f"margin ±{percent(margin)}", ha="left", va="bottom", transform=aside)


def _classifiers(outlook: "LabelNeeds") -> list[str]:
    return list(dict.fromkeys(classifier for step in outlook.curve for classifier, _ in step.half_widths))


def _frame(axes: "Axes", outlook: "LabelNeeds", metric: str) -> None:
    shown = _ticks([step.labels for step in outlook.curve])
    axes.set_xscale("log")
    axes.set_xticks(shown, [count(labels) for labels in shown], rotation=50, ha="right", rotation_mode="anchor")
    axes.minorticks_off()
    axes.set_ylim(bottom=0)
    axes.set_title(metric_name(metric), fontsize=9, loc="left")
    axes.set_xlabel("labels a window", color="#57606a")
    axes.yaxis.set_major_formatter(lambda value, _: f"±{exact_points(value)}%")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(visible=True, axis="y", color="#e6e8eb", linewidth=0.6)
    axes.set_axisbelow(True)


def _ticks(budgets: Sequence[int]) -> list[int]:
    """Budgets that have room for their numbers on a scale of logarithms."""
    shown: list[int] = []
    for labels in budgets:
        if not shown or labels >= _TICK_RATIO * shown[-1]:
            shown.append(labels)
    return shown
