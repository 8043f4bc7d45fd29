"""A cycle's items as a picture: patterns of calls against scores, darker where labels say that a classifier errs."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from stratawatch.core.population import NO_BIN
from stratawatch.core.score_bins import bin_of
from stratawatch.formatting import count_text, percent, shortest
from stratawatch.web.dashboard.cycle_view import Tile

MOST_ROWS: Final = 12
"""Patterns with a row of their own; the smaller ones are in the table alone."""
ROW: Final = 26
LEFT, RIGHT, TOP = 96, 640, 4
WIDTH: Final = 760
UNSCORED: Final = 46
"""Width of the column of items without a score."""
STEPS: Final = ((0.0, "#dde8f0"), (0.02, "#c9e0f0"), (0.1, "#8cc0e0"), (0.25, "#4796c9"), (0.5, "#0072b2"))
"""Shares of wrong calls, and the colour from each on."""
UNKNOWN: Final = "#ffffff"
NO_CALL: Final = "#c4c9cf"
_SCORES: Final = (0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999)


def mosaic_svg(tiles: Sequence[Tile], classifier: str) -> str:
    """Draw the tiles; the same tiles give the same text."""
    rows = _rows(tiles)
    height = TOP + ROW * len(rows) + 22
    axis = _Axis.of([tile for _, several in rows for tile in several])
    parts = [part for row, (_, several) in enumerate(rows) for part in _row(axis, row, several, classifier)]
    names = (
        f'<text x="{LEFT - 8}" y="{TOP + ROW * row + 17}" text-anchor="end">{escape(pattern)}</text>'
        for row, (pattern, _) in enumerate(rows)
    )
    totals = (
        f'<text x="{RIGHT + 10}" y="{TOP + ROW * row + 17}" fill="#57606a">{_total(several)}</text>'
        for row, (_, several) in enumerate(rows)
    )
    letters = 'font-family="Helvetica, Arial, sans-serif" font-size="11" fill="#24292f"'
    head = f'<svg viewBox="0 0 {WIDTH} {height}" {letters} role="img" aria-label="{_alt(tiles, classifier)}">'
    return "".join([head, *parts, *names, *totals, *_scale(axis, TOP + ROW * len(rows)), "</svg>"])


def colour_of(tile: Tile) -> str:
    """By the share of labels that say that the classifier erred; white without a label, grey without a call."""
    share = tile.wrong_share
    if tile.answered and tile.wrong is None:
        return NO_CALL
    return UNKNOWN if share is None else next(colour for least, colour in reversed(STEPS) if share >= least)


def _rows(tiles: Sequence[Tile]) -> list[tuple[str, list[Tile]]]:
    """The largest patterns, each with its tiles."""
    found: defaultdict[str, list[Tile]] = defaultdict(list)
    for tile in tiles:
        found[tile.atom.pattern].append(tile)
    largest = sorted(found, key=lambda name: (-sum(tile.atom.size for tile in found[name]), name))
    return [(name, found[name]) for name in largest[:MOST_ROWS]]


def _row(axis: "_Axis", row: int, tiles: Sequence[Tile], classifier: str) -> Iterator[str]:
    y = TOP + ROW * row
    for tile in tiles:
        left, right = axis.ends(tile)
        wide = max(right - left, 2.0)
        place = f'x="{left:.1f}" y="{y + 2}" width="{wide:.1f}" height="{ROW - 4}"'
        look = f'fill="{colour_of(tile)}" stroke="#57606a" stroke-width=".6"'
        yield f"<rect {place} {look}><title>{escape(_said(tile, classifier))}</title></rect>"
        if tile.answered and wide >= 9 + 7 * len(str(tile.answered)):
            ink = "#ffffff" if (tile.wrong_share or 0) >= STEPS[-2][0] else "#24292f"
            x = left + wide / 2
            yield f'<text x="{x:.1f}" y="{y + 17}" text-anchor="middle" fill="{ink}">{tile.answered}</text>'


@dataclass(frozen=True)
class _Axis:
    """From score bins to places; items without a score have a column of their own at the left."""

    low: int
    high: int
    unscored: bool

    @classmethod
    def of(cls, tiles: Sequence[Tile]) -> "_Axis":
        scored = [tile.atom for tile in tiles if tile.atom.first_bin != NO_BIN]
        low = min((atom.first_bin for atom in scored), default=0)
        high = max((atom.last_bin + 1 for atom in scored), default=1)
        return cls(low, max(high, low + 1), unscored=len(scored) < len(tiles))

    def x(self, place: float) -> float:
        first = LEFT + (UNSCORED + 8 if self.unscored else 0)
        return first + (RIGHT - first) * (place - self.low) / (self.high - self.low)

    def ends(self, tile: Tile) -> tuple[float, float]:
        if tile.atom.first_bin == NO_BIN:
            return LEFT, LEFT + UNSCORED
        return self.x(tile.atom.first_bin), self.x(tile.atom.last_bin + 1)


def _total(tiles: Sequence[Tile]) -> str:
    answered, wrong = sum(tile.answered for tile in tiles), sum(tile.wrong or 0 for tile in tiles)
    return "no call" if all(tile.wrong is None for tile in tiles) else f"{wrong:,} of {answered:,} wrong"


def _scale(axis: _Axis, y: float) -> Iterator[str]:
    yield f'<text x="{RIGHT + 10}" y="{y + 15}" fill="#57606a">mean score</text>'
    if axis.unscored:
        yield f'<text x="{LEFT + UNSCORED / 2}" y="{y + 15}" text-anchor="middle" fill="#57606a">none</text>'
    for score in (one for one in _SCORES if axis.low <= bin_of(one) <= axis.high):
        x = axis.x(bin_of(score))
        yield f'<path d="M{x:.1f} {y}v4" stroke="#57606a"/>'
        yield f'<text x="{x:.1f}" y="{y + 15}" text-anchor="middle" fill="#57606a">{shortest(score)}</text>'


def _said(tile: Tile, classifier: str) -> str:
    items = f"{count_text(tile.atom.size, 'item')}, {tile.drawn} drawn, {tile.answered} answered"
    if tile.wrong_share is None:
        return items
    return f"{items}: {classifier} wrong in {tile.wrong} of them ({percent(tile.wrong_share)})"


def _alt(tiles: Sequence[Tile], classifier: str) -> str:
    answered, wrong = sum(tile.answered for tile in tiles), sum(tile.wrong or 0 for tile in tiles)
    said = f"{count_text(answered, 'label')} by pattern of calls and score; {classifier} was wrong in {wrong} of them"
    return escape(said)
