"""Unexpected errors: one sentence on standard error, and the traceback on request."""

import os
import sys
import traceback
from pathlib import Path
from typing import Final

from stratawatch.cli.output import print_error
from stratawatch.settings.revealed_secrets import without_secrets

STATUS: Final = 3
DEBUG: Final = "STRATAWATCH_DEBUG"


def report_unexpected(trouble: BaseException) -> None:
    """Name an unexpected error and the line that raised it, on standard error."""
    debugging = os.environ.get(DEBUG) == "1"
    if debugging:
        sys.stderr.write(without_secrets("".join(traceback.format_exception(trouble))))
    hint = "" if debugging else f"; {DEBUG}=1 shows the traceback that a report of it needs"
    print_error(f"stratawatch: this is a bug in stratawatch: {_name(trouble)} {_place(trouble)}{hint}")


def _name(trouble: BaseException) -> str:
    """The kind of the error. Its message is left out, for it may quote a secret; an operating system's cannot."""
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
