"""A picture in a file that the user named."""

from collections.abc import Callable
from pathlib import Path

from stratawatch.atomic_files import require_ordinary_file
from stratawatch.errors import StratawatchError


def require_picture(path: Path) -> None:
    """Raise StratawatchError where the ending of the name is not that of a picture."""
    from stratawatch.report.chart_style import PICTURE_KINDS

    if path.suffix.lower() not in PICTURE_KINDS:
        raise StratawatchError(
            f"{path.name} cannot be drawn", expected=f"a name that ends in {' or '.join(PICTURE_KINDS)}"
        )


def write_picture(path: Path, draw: Callable[[Path], None]) -> None:
    """Write a picture; the ending of the name is its format."""
    require_picture(path)
    try:
        require_ordinary_file(path)  # also behind a link, such as those of /dev
        draw(path)
    except OSError as trouble:
        raise StratawatchError(f"{path} cannot be written", got=trouble.strerror or type(trouble).__name__) from None
