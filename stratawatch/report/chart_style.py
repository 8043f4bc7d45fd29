"""How a chart becomes a file."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from stratawatch.atomic_files import replace_file
from stratawatch.chart_colours import STYLE

if TYPE_CHECKING:  # matplotlib takes half a second to load; only drawing needs it
    from matplotlib.figure import Figure

PICTURE_KINDS: Final = (".svg", ".png")
"""The endings of names that a picture may have."""


def save_picture(path: Path, salt: str, draw: Callable[[], "Figure"]) -> None:
    """Draw a figure into a file; the ending of the name is its format. The same figure and salt give the same bytes."""
    import matplotlib as mpl

    kind, out = path.suffix.lower()[1:], io.BytesIO()
    with mpl.rc_context({**STYLE, "svg.hashsalt": salt, "figure.facecolor": "white"}):
        undated = {"Date": None} if kind == "svg" else None
        draw().savefig(out, format=kind, dpi=160, metadata=undated)
    replace_file(path, out.getvalue())
