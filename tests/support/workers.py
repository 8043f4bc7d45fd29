"""How tests are dealt to the workers of pytest-xdist: a file stays together, and so does a folder with a costly start."""

from collections.abc import Sequence
from pathlib import Path

from xdist.scheduler import LoadScopeScheduling

ROOT = Path(__file__).parents[2]

GROUPS = {
    "tests/spark": "spark",  # one Java
    "tests/drills/served": "served flows",
    "tests/flows": "prefect",  # one server
    "tests/statistics/test_coverage.py": "coverage",
    "tests/drills/test_released_schemas.py": "released schemas",
    "tests/live/label_studio": "label queues",  # one Label Studio
    "tests/live/broker": "brokers",  # one RabbitMQ; the contract beside it has another, and takes minutes
    "tests/contracts/queues": "label queues",
    "tests/unit/checks": "great expectations",  # one import of seconds
    "tests/engine/test_real_input.py": "great expectations",
    "tests/unit/demo": "demo",  # one simulated world
}
"""What one worker runs, by path; the first that fits counts. The longest come first."""


def group_of(path: str) -> str:
    """Whose tests run in the same worker: those of the group that names this path, else those of the file."""
    return next((group for start, group in GROUPS.items() if _inside(path, start)), path)


def rank_of(path: str) -> int:
    """The place of a file in the order of the run: named groups first, so that no worker ends with a long one."""
    return next((rank for rank, start in enumerate(GROUPS) if _inside(path, start)), len(GROUPS))


def _inside(path: str, start: str) -> bool:
    return path == start or path.startswith(f"{start}/")


class GroupScheduling(LoadScopeScheduling):
    """Deals groups in the order of the collection."""

    def __init__(self, config, log=None):
        super().__init__(config, log)
        config.option.loadscopereorder = False

    def _split_scope(self, nodeid: str) -> str:
        return group_of(nodeid.split("::", 1)[0])


def sorted_by_group(items: Sequence) -> list:
    """The tests in the order in which their groups are dealt, whatever the order they were found in."""

    def place(item) -> tuple[int, str]:
        path = item.path.relative_to(ROOT).as_posix()
        return rank_of(path), path

    return sorted(items, key=place)


def begin_elsewhere(worker: str | None, found: list) -> None:
    """Let each worker look into the folders in another order: what one has compiled, the others need not."""
    number = int((worker or "gw0").removeprefix("gw"))
    middle = len(found) * (number // 2 % 2) // 2
    found[:] = found[middle:] + found[:middle]
    if number % 2:
        found.reverse()
