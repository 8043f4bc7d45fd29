"""A picture in a file that the user named."""

from collections.abc import Callable
from pathlib import Path

from stratawatch.errors import StratawatchError


def write_picture(path: Path, draw: Callable[[Path], None]) -> None:
    """Write a picture; the ending of the name says of which kind."""
    from stratawatch.report.curves import KINDS

    if path.suffix.lower() not in KINDS:
        raise StratawatchError(
            f"{path.name} is no picture", expected=" or ".join(f"a name in {kind}" for kind in KINDS)
        )
    try:
        draw(path)
    except OSError as trouble:
        raise StratawatchError(f"{path} cannot be written", got=trouble.strerror or type(trouble).__name__) from None
