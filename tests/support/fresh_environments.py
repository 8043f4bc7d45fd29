"""Fresh environments made of what this one has installed: some extras and what they need, and nothing else."""

import re
import subprocess
import sysconfig
import tomllib
import venv
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
SITE = Path(sysconfig.get_path("purelib"))
ITSELF = "stratawatch"


def direct(extras: Iterable[str]) -> Iterator[Requirement]:
    """What pyproject.toml asks for, extras of its own resolved."""
    for extra in extras:
        for line in PROJECT["optional-dependencies"][extra]:
            requirement = Requirement(line)
            if requirement.name == ITSELF:
                yield from direct(requirement.extras)
            else:
                yield requirement


def closure(*extras: str) -> dict[str, Distribution]:
    """Every distribution that an installation with these extras has, itself included."""
    found = {ITSELF: distribution(ITSELF)}
    queue = [*map(Requirement, PROJECT["dependencies"]), *direct(extras)]
    seen = set()
    while queue:
        one = queue.pop()
        key = (canonicalize_name(one.name), frozenset(one.extras))
        if key in seen:
            continue
        seen.add(key)
        found[key[0]] = distribution(one.name)
        for line in found[key[0]].requires or ():
            needed = Requirement(line)
            if needed.marker is None or any(needed.marker.evaluate({"extra": extra}) for extra in ("", *one.extras)):
                queue.append(needed)
    return found


def environment(folder: Path, *extras: str) -> Path:
    """The Python of a virtual environment in which the closure is linked, and nothing more can be imported."""
    venv.create(folder, symlinks=True)
    python = folder / "bin" / "python"
    asked = "import sysconfig; print(sysconfig.get_path('purelib'))"
    site = Path(subprocess.run([python, "-c", asked], check=True, capture_output=True, text=True).stdout.strip())
    for one in closure(*extras).values():
        for name in {Path(file).parts[0] for file in one.files or () if ".." not in Path(file).parts}:
            if not (site / name).exists() and (SITE / name).exists() and not re.match(r"__pycache__|_virtualenv", name):
                (site / name).symlink_to(SITE / name)
    return python


def run(python: Path, *arguments: str, cwd: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run that Python. It sees this project as this environment does, and no setting of ours."""
    return subprocess.run(
        [python, *arguments],
        cwd=cwd,
        env={"PATH": "/usr/bin:/bin", "HOME": str(cwd), "COLUMNS": "300", **settings},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
