"""What a window holds, as a picture: patterns against mean scores, darker where more items are, atoms framed."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from stratawatch.core.bins import BIN_COUNT, bin_of
from stratawatch.core.population import NO_BIN, Atom, Census
from stratawatch.engine.span import span_text
from stratawatch.report.charts import BLUE, GREY, INK, STYLE
from stratawatch.report.wording import count, percent
from stratawatch.whole_file import put_whole

if TYPE_CHECKING:  # matplotlib takes half a second to load; only drawing needs it
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from stratawatch.engine.records import Window

MOST_PATTERNS: Final = 16
_BRICK: Final = 8
"""Bins that share one rectangle."""
_SCORES: Final = (0.0001, 0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999, 0.9999)
_UNSCORED: Final = 24
"""Width of the column of items without a score, in bins."""
_NAMED: Final = 20
"""An atom of so many bins has room for its stratum's number."""


def draw_atoms(path: Path, panel: str, window: "Window", census: Census, atoms: Sequence[Atom]) -> None:
    """Write the picture; the same census gives the same bytes."""
    import io

    import matplotlib as mpl

    kind = path.suffix.lower()[1:]
    out = io.BytesIO()
    with mpl.rc_context({**STYLE, "svg.hashsalt": panel, "figure.facecolor": "white"}):
        undated = {"Date": None} if kind == "svg" else None
        _figure(panel, window, census, atoms).savefig(out, format=kind, dpi=160, metadata=undated)
    put_whole(path, out.getvalue())


def _figure(panel: str, window: "Window", census: Census, atoms: Sequence[Atom]) -> "Figure":
    from matplotlib.figure import Figure

    sizes = _sizes(census)
    rows = {pattern: place for place, pattern in enumerate(list(sizes)[:MOST_PATTERNS])}
    figure = Figure(figsize=(7.4, 1.5 + 0.26 * len(rows)), layout="constrained")
    axes = figure.add_subplot()
    _shade(axes, census, rows)
    for atom in atoms:
        if atom.pattern in rows:
            _outline(axes, atom, rows[atom.pattern])
    _frame(axes, atoms, rows, {pattern: sizes[pattern] / census.size for pattern in rows})
    figure.suptitle(f"{panel}, {span_text(window.start, window.end)}: {count(census.size)} items", fontsize=10)
    axes.set_title(_legend(census, sizes, rows), fontsize=7.5, loc="left", color="#57606a")
    return figure


def _sizes(census: Census) -> dict[str, int]:
    """Items of every pattern, the largest first."""
    sizes: Counter[str] = Counter()
    for pattern, number in zip(census.patterns, census.counts.tolist(), strict=True):
        sizes[pattern] += number
    return dict(sorted(sizes.items(), key=lambda one: (-one[1], one[0])))


def _legend(census: Census, sizes: Mapping[str, int], rows: Mapping[str, int]) -> str:
    order = ", ".join([*census.classifiers, *census.auxiliary])
    rest = sum(number for pattern, number in sizes.items() if pattern not in rows)
    more = f"\n{len(sizes) - len(rows)} more patterns hold {percent(rest / census.size)} of the items" if rest else ""
    return f"1 yes, 0 no, - nothing of {order}; frames are atoms, numbers their strata{more}"


def _shade(axes: "Axes", census: Census, rows: Mapping[str, int]) -> None:
    from matplotlib.colors import LinearSegmentedColormap, LogNorm

    heat: NDArray[np.float64] = np.zeros((len(rows), BIN_COUNT // _BRICK))
    unscored: NDArray[np.float64] = np.zeros((len(rows), 1))
    for pattern, bin_, number in zip(census.patterns, census.bins.tolist(), census.counts.tolist(), strict=True):
        if pattern in rows:
            cells, place = (unscored, 0) if bin_ == NO_BIN else (heat, bin_ // _BRICK)
            cells[rows[pattern], place] += number
    top = max(float(heat.max()), float(unscored.max()), 2.0)
    colours = LinearSegmentedColormap.from_list("items", ["#eaf2f8", BLUE])
    ends = np.arange(len(rows) + 1) - 0.5
    look: Any = {"cmap": colours, "norm": LogNorm(1, top), "linewidth": 0, "rasterized": False}
    across = np.arange(0, BIN_COUNT + 1, _BRICK)
    mesh = axes.pcolormesh(across, ends, np.ma.masked_equal(heat, 0), **look)
    axes.pcolormesh([-2 * _UNSCORED, -_UNSCORED], ends, np.ma.masked_equal(unscored, 0), **look)
    bar = axes.figure.colorbar(mesh, ax=axes, pad=0.11, fraction=0.025)
    bar.set_label("items", color="#57606a")
    bar.outline.set_visible(False)


def _outline(axes: "Axes", atom: Atom, row: int) -> None:
    from matplotlib.patches import Rectangle

    if atom.first_bin == NO_BIN:
        left, wide = -2 * _UNSCORED, _UNSCORED
    else:
        left, wide = atom.first_bin, atom.last_bin + 1 - atom.first_bin
    axes.add_patch(Rectangle((left, row - 0.42), wide, 0.84, fill=False, edgecolor=INK, linewidth=0.5))
    if wide >= _NAMED:
        place = {"ha": "center", "va": "center", "fontsize": 5.5}
        axes.text(left + wide / 2, row, str(atom.stratum), color=INK, **place)  # type: ignore[arg-type]


def _frame(axes: "Axes", atoms: Sequence[Atom], rows: Mapping[str, int], shares: Mapping[str, float]) -> None:
    low = min((atom.first_bin for atom in atoms if atom.first_bin != NO_BIN), default=0)
    high = max((atom.last_bin for atom in atoms), default=BIN_COUNT)
    unscored = any(atom.first_bin == NO_BIN for atom in atoms)
    axes.set_xlim(-2 * _UNSCORED - 4 if unscored else low - 6, max(high, low) + 7)
    shown = [score for score in _SCORES if low <= bin_of(score) <= high]
    ticks = [(float(bin_of(score)), f"{score:.4g}") for score in shown]
    if unscored:
        ticks.insert(0, (-1.5 * _UNSCORED, "none"))
    axes.set_xticks([place for place, _ in ticks], [name for _, name in ticks])
    axes.set_xlabel("mean score, finer near 0 and near 1", color="#57606a")
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_yticks(list(rows.values()), list(rows), family="monospace")
    for pattern, row in rows.items():
        aside = axes.get_yaxis_transform()
        axes.text(1.01, row, percent(shares[pattern]), color=GREY, va="center", transform=aside)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(length=2.5, pad=2)
