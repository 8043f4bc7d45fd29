"""How a chart becomes a file."""

import io
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from stratawatch.atomic_files import replace_file
from stratawatch.chart_colours import STYLE

if TYPE_CHECKING:  # matplotlib takes half a second to load; only drawing needs it
    from matplotlib.figure import Figure

PICTURE_KINDS: Final = (".svg", ".png")
"""The endings of names that a picture may have."""
PALETTES: Final = (64, 32, 16)
"""Colours of a small PNG: few are drawn, and the others smooth edges, which goes first where there is no room."""
PIXELS_PER_INCH: Final = 150
_SMALL: Final[Any] = {  # matplotlib types its keys as literals, which no constant can satisfy
    "font.family": ["DejaVu Sans"],  # comes with matplotlib, so that every machine draws the same
    "font.size": 10,
    "text.parse_math": False,  # a name with two dollar signs is no formula
    "figure.facecolor": "white",
}


def save_picture(path: Path, salt: str, draw: Callable[[], "Figure"]) -> None:
    """Draw a figure into a file; the ending of the name is its format. The same figure and salt give the same bytes."""
    import matplotlib as mpl

    kind, out = path.suffix.lower()[1:], io.BytesIO()
    with mpl.rc_context({**STYLE, "svg.hashsalt": salt, "figure.facecolor": "white"}):
        undated = {"Date": None} if kind == "svg" else None
        draw().savefig(out, format=kind, dpi=160, metadata=undated)
    replace_file(path, out.getvalue())


def small_png(draw: Callable[[], "Figure"], largest: int) -> bytes:
    """Draw a figure as a PNG with a palette and without metadata, of at most so many bytes if 16 colours allow it.

    The same figure gives the same bytes with the same matplotlib and Pillow.
    """
    import matplotlib as mpl
    from PIL import Image  # matplotlib cannot do without it, so that it is there too

    drawn, content = io.BytesIO(), b""
    with mpl.rc_context({**STYLE, **_SMALL}), warnings.catch_warnings():
        # A name in letters that the font lacks has boxes in the picture; the words beside the picture have it.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure = draw()
        figure.set_dpi(PIXELS_PER_INCH)
        figure.savefig(drawn, format="rgba", dpi=PIXELS_PER_INCH)
        picture = Image.frombytes("RGBA", figure.canvas.get_width_height(), drawn.getvalue()).convert("RGB")
    for colours in PALETTES:
        out = io.BytesIO()
        picture.quantize(colours, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(out, "PNG", optimize=True)
        content = out.getvalue()
        if len(content) <= largest:
            break
    return content
