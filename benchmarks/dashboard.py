"""How long people wait at the dashboard: 20 of them at once, a panel of 50 classifiers after 104 weeks.

`python -m benchmarks.dashboard` plays one week for real and copies it for every other, on SQLite and PostgreSQL, behind
`stratawatch web`. Readers ask for page after page without a pause, while an advance every half a minute has everything
read anew. Times are of the whole answer, by the clock on the wall; readers and server share the machine.
"""

import http.client
import random
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock, Thread
from time import monotonic, sleep
from typing import Final

import numpy as np

from benchmarks.postgres_server import postgres
from benchmarks.shape import Options, Result, Row, Verdict, main
from benchmarks.years_store import FILE, START, WEEK, address, found_installation, opened
from stratawatch.adapters.store.database import connect, store_url
from stratawatch.engine.cycle.advance import advance
from stratawatch.web.dashboard.visitors import new_token, token_hash
from tests.support.free_ports import free_port
from tests.support.store.repeated_cycle import repeat_cycle

READERS: Final = 20
SECONDS: Final = 60.0
QUICK_SECONDS: Final = 10.0
BETWEEN_ADVANCES: Final = 30.0
SHARE: Final = 0.95
MOST_SECONDS: Final = 0.2
"""That 95 of 100 pages may take."""
_PERSON: Final = """
[[web.people]]
name = "reader"
role = "admin"
token_hash = "{hash}"
"""


def run(options: Options) -> Result:
    """Read on both databases."""
    rows, verdicts = list[Row](), []
    with TemporaryDirectory(prefix="stratawatch-dashboard-") as scratch, postgres() as server:
        for database, url in (("SQLite", FILE), ("PostgreSQL", server)):
            for row in _read(Path(scratch) / database, url, options):
                rows.append({"store": database, **row})
                name = f"seconds of {row['page']}, {database}"
                verdicts.append(Verdict(name, "must", float(str(row["p95"])), MOST_SECONDS, "<="))
    return Result(rows, verdicts)


def _read(folder: Path, url: str, options: Options) -> Iterator[Row]:
    classifiers, weeks = (12, 13) if options.quick else (50, 104)
    seconds = QUICK_SECONDS if options.quick else SECONDS
    config = found_installation(folder, classifiers, 240 if options.quick else 900, 20_000, url)
    engine = connect(store_url(address(config)))
    repeat_cycle(engine, weeks)
    engine.dispose()
    token, port = new_token(), free_port()
    with config.open("a", encoding="utf-8") as file:
        file.write(_PERSON.format(hash=token_hash(token)))
    pages = _pages(weeks)
    now = START + weeks * WEEK + timedelta(days=2)
    for _ in range(weeks // 20 + 2):
        _advance(config, now)
    with _served(config, port):
        readers = _Readers(port, token, pages, options.seed)
        readers.ask_once()
        readers.ask(seconds, lambda: _advance(config, now))
    for page in pages:
        taken = readers.taken[page]
        yield {
            "page": page,
            "asked": len(taken),
            "median": round(float(np.median(taken)), 4),
            "p95": round(float(np.quantile(taken, SHARE)), 4),
            "longest": round(max(taken), 3),
            "first": round(readers.first[page], 3),
        }


def _pages(weeks: int) -> dict[str, str]:
    return {
        "panels": "/dashboard/",
        "panel": "/dashboard/panels/spam",
        "classifier": "/dashboard/panels/spam/classifiers/model_01",
        "mistakes": "/dashboard/panels/spam/mistakes?classifier=model_01",
        "budgets": "/dashboard/panels/spam/plan",
        "cycle": f"/dashboard/cycles/{weeks}",
        "incidents": "/dashboard/incidents",
        "report": "/dashboard/panels/spam/report",
        "estimates in JSON": "/dashboard/api/estimates?panel=spam&classifier=model_01",
    }


def _advance(config: Path, now: datetime) -> None:
    with opened(config, now) as installation:
        troubles = advance(installation.ports).troubles
    if troubles:
        raise RuntimeError("; ".join(troubles))


@contextmanager
def _served(config: Path, port: int) -> Iterator[None]:
    program = [sys.executable, "-m", "stratawatch.cli", "web", "--config", str(config), "--port", str(port)]
    with subprocess.Popen(program, stdout=subprocess.DEVNULL) as server:
        try:
            deadline = monotonic() + 60
            while not _answers(port):
                if monotonic() > deadline or server.poll() is not None:
                    raise RuntimeError("the dashboard does not answer")
                sleep(0.1)
            yield
        finally:
            server.terminate()


def _answers(port: int) -> bool:
    try:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        connection.request("GET", "/healthz")
        return connection.getresponse().status == http.client.OK
    except OSError:
        return False


class _Readers:
    """People who ask for page after page, each in an order of his own."""

    def __init__(self, port: int, token: str, pages: dict[str, str], seed: int) -> None:
        self._port, self._pages, self._seed = port, pages, seed
        self._key = {"Authorization": f"Bearer {token}"}
        self._lock = Lock()
        self.taken: defaultdict[str, list[float]] = defaultdict(list)
        self.first: dict[str, float] = {}
        self.failed: list[str] = []

    def ask_once(self) -> None:
        """Each page, as the first who asks after a start has it."""
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=60)
        self.first = {page: self._ask(connection, path) for page, path in self._pages.items()}

    def ask(self, seconds: float, change: Callable[[], None]) -> None:
        """All of them at once, while something changes the store."""
        end = monotonic() + seconds
        threads = [Thread(target=self._read, args=(number, end)) for number in range(READERS)]
        for thread in threads:
            thread.start()
        while (left := end - monotonic()) > 0:
            sleep(min(left, BETWEEN_ADVANCES))
            if monotonic() < end:
                change()
        for thread in threads:
            thread.join()
        if self.failed:
            raise RuntimeError(f"{len(self.failed)} answers were none, such as {self.failed[0]}")

    def _read(self, number: int, end: float) -> None:
        order = random.Random(self._seed + number)
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=60)
        while monotonic() < end:
            page, path = order.choice(list(self._pages.items()))
            try:
                taken = self._ask(connection, path)
            except (OSError, RuntimeError, http.client.HTTPException) as trouble:
                self.failed.append(f"{page}: {trouble}")
                return
            with self._lock:
                self.taken[page].append(taken)

    def _ask(self, connection: http.client.HTTPConnection, path: str) -> float:
        begun = monotonic()
        connection.request("GET", path, headers=self._key)
        answer = connection.getresponse()
        answer.read()
        if answer.status != http.client.OK:
            raise RuntimeError(f"status {answer.status}")
        return monotonic() - begun


if __name__ == "__main__":
    sys.exit(main("dashboard", run))
