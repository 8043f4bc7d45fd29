"""What the pictures of a report share: how a state is marked, its legend, and how words are broken into lines."""

from collections.abc import Collection
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Final

from stratawatch.chart_colours import BLUE, DARK_ORANGE, GREEN, GREY, INK, VERMILLION
from stratawatch.core.alarms.alarm_states import MEANINGS, URGENCY, AlarmState
from stratawatch.formatting import printable, shortened

if TYPE_CHECKING:  # matplotlib takes half a second to load; only drawing needs it
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH: Final = 5.2
"""Inches of a picture: on a telephone its type is as large as that of a page."""
LINE: Final = 0.185
"""Inches from one line of type to the next."""
LONGEST_NAME: Final = 40
QUIET: Final = "#57606a"
GRID: Final = "#e6e8eb"
# Shape and filling tell the states apart where colours do not.
_MARKS: Final[dict[AlarmState | None, dict[str, Any]]] = {
    AlarmState.OK: {"marker": "o", "markersize": 5, "color": BLUE},
    AlarmState.UNPROVEN: {"marker": "o", "markersize": 5, "color": BLUE, "markerfacecolor": "white"},
    AlarmState.AT_RISK: {"marker": "^", "markersize": 8, "color": DARK_ORANGE},
    AlarmState.BREACH: {"marker": "X", "markersize": 7.5, "color": VERMILLION},
    AlarmState.BLIND: {"marker": "D", "markersize": 4.5, "color": QUIET, "markerfacecolor": "white"},
    None: {"marker": "o", "markersize": 4, "color": GREY},
}
_TINTS: Final[dict[AlarmState | None, str]] = {
    AlarmState.OK: "#7ab4d8",
    AlarmState.UNPROVEN: "#7ab4d8",
    AlarmState.AT_RISK: "#dcbf80",
    AlarmState.BREACH: "#eba679",
}
_SAID: Final[dict[AlarmState | None, str]] = {
    **{AlarmState(word): f"{word}: {said}" for word, said in MEANINGS.items()},
    None: "without a limit",
}


def mark(state: AlarmState | None) -> dict[str, Any]:
    """The look of a value in this state."""
    return {"markeredgewidth": 1.2, "linestyle": "none", "zorder": 4, "clip_on": False, **_MARKS[state]}


def tint_of(state: AlarmState | None) -> str:
    """The colour of an interval in this state. It is no transparent one: a palette keeps few mixed colours."""
    return _TINTS.get(state, "#b4b9c0")


def legend(figure: "Figure", states: Collection[AlarmState | None], *, limit: str, baseline: bool, top: float) -> None:
    """Explain the marks that are drawn, the most urgent first, and the lines, from `top` inches down."""
    from matplotlib.lines import Line2D

    order: list[AlarmState | None] = [*map(AlarmState, URGENCY), None]
    shown = [Line2D([], [], label=_SAID[state], **mark(state)) for state in order if state in states]
    if limit:
        shown.append(Line2D([], [], color=INK, linewidth=1.3, linestyle=(0, (4, 2)), label=limit))
    if baseline:
        shown.append(Line2D([], [], color=GREEN, linewidth=1.3, label="baseline"))
    place = (0.1 / WIDTH, top / figure.get_figheight())
    figure.legend(handles=shown, loc="upper left", bbox_to_anchor=place, ncols=2, frameon=False, fontsize=9, **_TIGHT)


_TIGHT: Final[Any] = {
    "borderpad": 0,
    "borderaxespad": 0,
    "labelspacing": 0.35,
    "handletextpad": 0.5,
    "handlelength": 1.6,
}


def legend_height(states: Collection[AlarmState | None], more: int) -> float:
    """Inches of a legend in two columns."""
    return -(-(len(states) + more) // 2) * LINE + 0.06


def broken(text: str, letters: int, most: int) -> list[str]:
    """A text in at most so many lines; what does not fit ends in dots."""
    lines = wrap(printable(text), letters)
    if len(lines) > most:
        lines = [*lines[: most - 1], shortened(lines[most - 1], letters - 3).removesuffix("...") + "..."]
    return lines


def name(text: str) -> str:
    """A name of people's own where there is room for a few characters."""
    return shortened(printable(text), LONGEST_NAME)


def write_lines(figure: "Figure", lines: list[str], top: float, **look: Any) -> float:
    """Write lines from `top` inches above the lower edge; returns where they end."""
    for line in lines:
        figure.text(0.1 / WIDTH, top / figure.get_figheight(), line, va="top", **look)
        top -= LINE * look.get("fontsize", 10) / 10
    return top


def quiet(axes: "Axes") -> None:
    """Leave of a frame what is needed to read it."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_axisbelow(True)
    axes.tick_params(length=2.5, pad=2, labelsize=9)
