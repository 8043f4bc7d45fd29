"""Python programs that tests run beside themselves, in the project's root; a failing one shows what it wrote."""

import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
PATIENCE = 120
"""Seconds for a program; a busy machine takes its time."""


def environment(changes: Mapping[str, str] | None = None, *, without: tuple[str, ...] = ()) -> dict[str, str]:
    """This process's environment less the names that start so, with changes; `tests` can be imported there."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(without)}
    return {**kept, "PYTHONPATH": str(ROOT), **(changes or {})}


def start(*arguments: object) -> "subprocess.Popen[str]":
    """Start Python with pipes to talk through."""
    command = [sys.executable, *map(str, arguments)]
    return subprocess.Popen(
        command, cwd=ROOT, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def run(
    *arguments: object, env: dict[str, str] | None = None, cwd: Path = ROOT, status: int = 0
) -> "subprocess.CompletedProcess[str]":
    """Run Python to its end, which must have this status."""
    command = [sys.executable, *map(str, arguments)]
    given = environment() if env is None else env
    done = subprocess.run(command, cwd=cwd, env=given, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert done.returncode == status, f"{command} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}"
    return done


def loaded(code: str, modules: Iterable[str], *arguments: object, env: dict[str, str] | None = None) -> set[str]:
    """Those of some modules that a new Python has loaded after this code."""
    asked = f"import sys\n{code}\nprint()\nprint(*[name for name in {list(modules)!r} if name in sys.modules])"
    return set(run("-c", asked, *arguments, env=env).stdout.splitlines()[-1].split())
