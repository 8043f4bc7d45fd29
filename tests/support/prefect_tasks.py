"""Find the tasks and the use cases instead of listing them, so that a new one cannot be forgotten."""

from importlib import import_module
from pkgutil import iter_modules

from prefect import Task

import tasks


def all_tasks() -> dict[str, Task]:
    """Every task, by the name of the module that defines it."""
    found = {}
    for module in iter_modules(tasks.__path__):
        members = vars(import_module(f"tasks.{module.name}")).values()
        own = [member for member in members if isinstance(member, Task)]
        if own:
            [found[module.name]] = own
    return found
