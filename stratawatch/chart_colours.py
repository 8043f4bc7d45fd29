"""The colours and the type that all pictures share."""

from typing import Any, Final

# Okabe and Ito's colours, which people with any colour vision can tell apart.
BLUE, VERMILLION, ORANGE, GREEN = "#0072B2", "#D55E00", "#E69F00", "#009E73"
DARK_ORANGE = "#B87F00"
"""Of marks on white with a shape of their own: orange is hard to see there, and darker it looks like vermillion."""
GREY, INK = "#8a8f98", "#24292f"
STYLE: Final[Any] = {  # matplotlib types its keys as literals, which no constant can satisfy
    "svg.fonttype": "none",  # text stays text: it can be read aloud, searched and copied, and is a third of the size
    "font.family": "sans-serif",
    "font.sans-serif": ["Helvetica", "Arial", "DejaVu Sans"],
    "font.size": 8,
    "axes.edgecolor": "#c8ccd2",
    "axes.linewidth": 0.8,
    "xtick.color": "#57606a",
    "ytick.color": "#57606a",
    "text.color": INK,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
}
