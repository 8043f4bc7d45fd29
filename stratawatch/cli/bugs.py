"""What people see of an error that nobody foresaw: one sentence; the traceback only for whoever asks for it."""

import os
import traceback
from pathlib import Path
from typing import Final

from stratawatch.cli.printing import complain

STATUS: Final = 3
DEBUG: Final = "STRATAWATCH_DEBUG"


def tell_bug(trouble: BaseException) -> None:
    """Name an unexpected error and the line that raised it, on standard error."""
    asked = os.environ.get(DEBUG) == "1"
    if asked:
        traceback.print_exception(trouble)
    hint = "" if asked else f"; {DEBUG}=1 shows the traceback that a report of it needs"
    complain(f"stratawatch: this is a bug in stratawatch: {_name(trouble)} {_place(trouble)}{hint}")


def _name(trouble: BaseException) -> str:
    """The kind of the error. Its own words stay out, for they may quote a secret; the system's cannot."""
    kind = type(trouble).__name__
    if isinstance(trouble, OSError) and trouble.strerror:
        return f"{kind} ({trouble.strerror})"
    return kind


def _place(trouble: BaseException) -> str:
    """The innermost line of this program, and what it was calling."""
    frames = traceback.extract_tb(trouble.__traceback__)
    home = Path(__file__).parents[1]
    ours = [frame for frame in frames if Path(frame.filename).is_relative_to(home)]
    if not ours:
        return "outside of its own code"
    last = ours[-1]
    return f"at {Path(last.filename).relative_to(home.parent)} line {last.lineno}, in {last.name}"
