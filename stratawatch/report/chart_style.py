"""The look that all charts share, and how a chart becomes a file."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from stratawatch.atomic_files import replace_file

if TYPE_CHECKING:  # matplotlib takes half a second to load; only drawing needs it
    from matplotlib.figure import Figure

PICTURE_KINDS: Final = (".svg", ".png")
"""The endings of names that a picture may have."""
# Okabe and Ito's colours, which people with any colour vision can tell apart.
BLUE, VERMILLION, ORANGE, GREEN = "#0072B2", "#D55E00", "#E69F00", "#009E73"
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


def save_picture(path: Path, salt: str, draw: Callable[[], "Figure"]) -> None:
    """Draw a figure into a file; the ending of the name is its format. The same figure and salt give the same bytes."""
    import matplotlib as mpl

    kind, out = path.suffix.lower()[1:], io.BytesIO()
    with mpl.rc_context({**STYLE, "svg.hashsalt": salt, "figure.facecolor": "white"}):
        undated = {"Date": None} if kind == "svg" else None
        draw().savefig(out, format=kind, dpi=160, metadata=undated)
    replace_file(path, out.getvalue())
