"""A bar on the terminal while a population is read; nothing where standard error is no terminal."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def shown_progress() -> Iterator[None]:
    """Show how far reads are, and leave nothing behind."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

    from stratawatch.engine.progress import listen

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        tasks: dict[str, TaskID] = {}

        def show(phase: str, share: float | None) -> None:
            if phase not in tasks:
                tasks[phase] = bars.add_task(phase, total=None)
            if share is not None:
                bars.update(tasks[phase], total=1.0, completed=share)

        with listen(show):
            yield
