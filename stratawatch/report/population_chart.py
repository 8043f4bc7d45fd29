"""What a window holds, as a picture: patterns against mean scores, darker where more items are, atoms framed."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from stratawatch.chart_colours import BLUE, INK
from stratawatch.core.population import NO_BIN, Atom, Census, Counts
from stratawatch.core.score_bins import BIN_COUNT, bin_of
from stratawatch.formatting import count, count_text, percent, shortest, span_text
from stratawatch.report.chart_style import save_picture

if TYPE_CHECKING:  # matplotlib takes half a second to load; only drawing needs it
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from stratawatch.engine.model.panel_spec import Window

MOST_PATTERNS: Final = 16
"""Patterns with a row of their own; the others share the last row."""
# Bins that share one rectangle, except where a frame ends.
_BRICK: Final = 8
_SCORES: Final = (0.0001, 0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999, 0.9999)
# Width of the column of items without a score, in bins.
_UNSCORED: Final = 24
# An atom of so many bins has room for its stratum's number.
_NAMED: Final = 20
_TALL: Final = 0.84
# Of the caption in one line.
_LETTERS: Final = 120
_QUIET: Final = "#57606a"
_PALE: Final[Any] = {"facecolor": "white", "alpha": 0.75, "edgecolor": "none", "pad": 0.6}

Span = tuple[int, int, int]
"""Row, first bin and last bin of a frame."""


def draw_atoms(path: Path, panel: str, window: "Window", census: Census, atoms: Sequence[Atom]) -> None:
    """Write the picture; the same census gives the same bytes."""
    save_picture(path, panel, lambda: _figure(panel, window, census, atoms))


def _figure(panel: str, window: "Window", census: Census, atoms: Sequence[Atom]) -> "Figure":
    from matplotlib.figure import Figure

    patterns = _largest_first(census)
    shown = patterns[:MOST_PATTERNS]
    others = len(patterns) - len(shown)
    heat = _heat(census, shown)
    framed = [(shown.index(atom.pattern), atom) for atom in atoms if atom.pattern in shown]
    spans = [(row, atom.first_bin, atom.last_bin) for row, atom in framed]
    caption = fill(_caption(census, others), _LETTERS)
    rows = len(shown) + (others > 0)
    figure = Figure(figsize=(7.4, 1.4 + 0.26 * rows + 0.14 * len(caption.splitlines())), layout="constrained")
    axes = figure.add_subplot()
    _shade(axes, heat, [*spans, *_spread(heat, len(shown))])
    for row, atom in framed:
        _outline(axes, atom, row)
    _scale(axes, atoms)
    _name_rows(axes, shown, others, (heat.sum(axis=1) / census.size).tolist())
    figure.suptitle(f"{panel}, {span_text(window.start, window.end)}: {count(census.size)} items", fontsize=10)
    figure.supxlabel(caption, x=0.01, ha="left", fontsize=7.5, color=_QUIET)
    return figure


def _largest_first(census: Census) -> list[str]:
    """All patterns, by the number of their items."""
    sizes: Counter[str] = Counter()
    for pattern, number in zip(census.patterns, census.counts.tolist(), strict=True):
        sizes[pattern] += number
    return sorted(sizes, key=lambda pattern: (-sizes[pattern], pattern))


def _heat(census: Census, shown: Sequence[str]) -> Counts:
    """Items of every row and bin; the last row is of all other patterns, the last column of items without a score."""
    rows = {pattern: row for row, pattern in enumerate(shown)}
    row_of = np.array([rows.get(pattern, len(shown)) for pattern in census.patterns])
    heat = np.zeros((len(shown) + 1, BIN_COUNT + 1), dtype=np.int64)
    np.add.at(heat, (row_of, census.bins), census.counts)
    return heat


def _spread(heat: Counts, row: int) -> list[Span]:
    """Where a row that has no frames holds items."""
    (bins,) = np.nonzero(heat[row, :BIN_COUNT])
    scored = [(row, int(bins[0]), int(bins[-1]))] if len(bins) else []
    return scored + ([(row, NO_BIN, NO_BIN)] if heat[row, NO_BIN] else [])


def _caption(census: Census, others: int) -> str:
    order = ", ".join([*census.classifiers, *census.auxiliary])
    smaller = count_text(others, "smaller pattern")
    last = f" The last row holds the {smaller} together, without frames." if others else ""
    return (
        f"Rows are patterns, with a letter for each of {order}: 1 yes, 0 no, - nothing. Frames are atoms, the numbers "
        f"in them their strata.{last}"
    )


def _shade(axes: "Axes", heat: Counts, spans: Sequence[Span]) -> None:
    from matplotlib.collections import PatchCollection
    from matplotlib.colors import LinearSegmentedColormap, LogNorm
    from matplotlib.patches import Rectangle

    bricks, density = [], []
    for row, first, last in (brick for span in spans for brick in _bricks(span)):
        held = int(heat[row, NO_BIN] if first == NO_BIN else heat[row, first : last + 1].sum())
        if held:
            left, wide = _place(first, last)
            bricks.append(Rectangle((left, row - _TALL / 2), wide, _TALL))
            density.append(held / (last + 1 - first))
    colours = LinearSegmentedColormap.from_list("items", ["#dcebf5", BLUE])
    look: Any = {"cmap": colours, "norm": LogNorm(1 / _BRICK, max(2.0, *density)), "edgecolor": "face"}
    shades = PatchCollection(bricks, linewidth=0.2, **look)
    shades.set_array(density)
    axes.add_collection(shades, autolim=False)
    bar = axes.figure.colorbar(shades, ax=axes, pad=0.11, fraction=0.025, format=lambda value, _: f"{value:,.7g}")
    bar.ax.minorticks_off()
    bar.set_label("items per score bin", color=_QUIET)
    bar.outline.set_visible(False)


def _bricks(span: Span) -> Iterator[Span]:
    """A frame, cut where the bricks of all rows end."""
    row, first, last = span
    while first <= last:
        end = min(last, first - first % _BRICK + _BRICK - 1) if first != NO_BIN else NO_BIN
        yield row, first, end
        first = end + 1 if first != NO_BIN else last + 1


def _place(first: int, last: int) -> tuple[int, int]:
    """Left end and width on the axis."""
    return (-2 * _UNSCORED, _UNSCORED) if first == NO_BIN else (first, last + 1 - first)


def _outline(axes: "Axes", atom: Atom, row: int) -> None:
    from matplotlib.patches import Rectangle

    left, wide = _place(atom.first_bin, atom.last_bin)
    axes.add_patch(Rectangle((left, row - _TALL / 2), wide, _TALL, fill=False, edgecolor=INK, linewidth=0.5))
    if wide >= _NAMED:
        look: Any = {"ha": "center", "va": "center", "fontsize": 5.5, "bbox": _PALE}
        axes.text(left + wide / 2, row, str(atom.stratum), color=INK, **look)


def _scale(axes: "Axes", atoms: Sequence[Atom]) -> None:
    low = min((atom.first_bin for atom in atoms if atom.first_bin != NO_BIN), default=0)
    high = max((atom.last_bin for atom in atoms), default=BIN_COUNT)
    unscored = any(atom.first_bin == NO_BIN for atom in atoms)
    axes.set_xlim(-2 * _UNSCORED - 4 if unscored else low - 6, max(high, low) + 7)
    shown = [score for score in _SCORES if low <= bin_of(score) <= high]
    ticks = [(float(bin_of(score)), shortest(score)) for score in shown]
    if unscored:
        ticks.insert(0, (-1.5 * _UNSCORED, "none"))
    axes.set_xticks([place for place, _ in ticks], [name for _, name in ticks])
    axes.set_xlabel("mean score, finer near 0 and near 1", color=_QUIET)


def _name_rows(axes: "Axes", shown: Sequence[str], others: int, shares: Sequence[float]) -> None:
    names = [*shown, f"{count_text(others, 'other')}"] if others else list(shown)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_yticks(range(len(names)), names, family="monospace")
    for row in range(len(names)):
        aside = axes.get_yaxis_transform()
        axes.text(1.01, row, percent(shares[row]), color=_QUIET, va="center", transform=aside)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(length=2.5, pad=2)
