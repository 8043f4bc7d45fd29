"""Installations to run commands in: an empty one, and one whose first cycle was judged."""

import json
import shutil
import threading
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import duckdb
import pytest

from stratawatch.cli.app import app
from tests.support.command_line import CliRunner
from tests.support.configurations import RIGHT, _clean_environment, changed  # noqa: F401

NOW = "2026-01-12T06:00:00+00:00"

CONFIG = (
    changed(
        RIGHT,
        ('[store]\nurl = "sqlite:///stratawatch.db"\n\n[queue]\nroot = "queue"', '[report]\nfolder = "reports"'),
        ("budget = 120", "budget = 60"),
        ("margin = 0.05", "margin = 0.1"),
        ("floor = 0.8", "floor = 0.97"),
    )
    + """
[[panels.spam.limits]]
metric = "false_omission_rate"
ceiling = 0.3
classifiers = ["rf"]
"""
)

ROWS = """
SELECT
    'item-' || i AS id,
    TIMESTAMP '2026-01-05' + INTERVAL (i) MINUTE AS "at",
    'text ' || i AS "text",
    CASE WHEN i % 3 = 0 THEN 'DE' ELSE 'FR' END AS country,
    ((i * 7919) % 2003) / 2003.0 AS score_lr,
    ((i * 7919 + (i * 31) % 400) % 2003) / 2003.0 AS score_rf,
    ((i * 7919) % 2003) / 2003.0 >= 0.5 AS pred_lr
FROM range(2000) AS t(i)
"""


@dataclass
class Installation:
    """A folder with a configuration, and the command line in it."""

    folder: Path
    columns: int = 100
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def config(self) -> Path:
        return self.folder / "stratawatch.toml"

    def run(self, *arguments: str, code: int = 0):
        """Run a command, which must end with this status."""
        environment = {"STRATAWATCH_CONFIG": str(self.config), "COLUMNS": str(self.columns), **self.environment}
        result = CliRunner().invoke(app, list(arguments), env=environment)
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        assert result.exit_code == code, (result.stdout, result.stderr)
        return result

    def json(self, *arguments: str, code: int = 0) -> Any:
        return json.loads(self.run(*arguments, "--json", code=code).stdout)

    def configure(self, *changes: tuple[str, str], more: str = "") -> None:
        self.config.write_text(changed(CONFIG, *changes) + more, encoding="utf-8")

    def predict(self, query: str = ROWS) -> None:
        (self.folder / "predictions").mkdir(exist_ok=True)
        duckdb.sql(query).write_parquet(str(self.folder / "predictions" / "week.parquet"))

    def answer(self) -> int:
        """Answer everything that is out: an item is spam when its number is odd and its score is high."""
        answered = 0
        for path in sorted((self.folder / "queue" / "out").glob("*.jsonl")):
            reply = self.folder / "queue" / "in" / path.name
            if reply.exists():
                continue
            lines = [json.loads(line) for line in path.read_text().splitlines()]
            labels = [self._label(line) for line in lines if "key" in line]
            reply.write_text("".join(json.dumps(label) + "\n" for label in labels))
            answered += len(labels)
        return answered

    @staticmethod
    def _label(line: dict[str, Any]) -> dict[str, str]:
        number = int(line["payload"]["text"].split()[1])
        value = "yes" if ((number * 7919) % 2003) / 2003 >= 0.5 and number % 2 else "no"
        return {
            "key": line["key"],
            "value": value,
            "annotator": "ann",
            "at": datetime(2026, 1, 12, 7, tzinfo=UTC).isoformat(),
        }


@pytest.fixture(scope="session")
def judged_folder(tmp_path_factory) -> Path:
    """One cycle from predictions to judgement, by commands alone."""
    home = Installation(tmp_path_factory.mktemp("judged"))
    home.configure()
    home.predict()
    home.run("init")
    home.run("open", "--now", NOW)
    home.run("advance", "--now", NOW)
    assert home.answer() == 24
    home.run("advance", "--now", "2026-01-12T08:00:00+00:00")
    assert home.answer() == 36
    home.run("advance", "--now", "2026-01-12T09:00:00+00:00")
    return home.folder


@pytest.fixture
def empty(tmp_path) -> Installation:
    """A folder without anything."""
    return Installation(tmp_path / "home")


@pytest.fixture
def fresh(tmp_path, migrated_sqlite) -> Installation:
    """A configuration, predictions and an empty store."""
    home = Installation(tmp_path)
    home.configure()
    home.predict()
    shutil.copy(migrated_sqlite, tmp_path / "stratawatch.db")
    return home


@pytest.fixture
def judged(judged_folder, tmp_path) -> Installation:
    """A copy of the installation whose first cycle was judged."""
    shutil.copytree(judged_folder, tmp_path / "judged")
    return Installation(tmp_path / "judged")


class Watcher:
    """A server on loopback that is asked for a heartbeat."""

    def __init__(self) -> None:
        watcher, self.asked, self.status = self, [], 200

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                watcher.asked.append(f"{self.command} {self.path}")
                self.send_response(watcher.status)
                self.end_headers()

            def log_message(self, *args):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/beat/s3cr3t"


@pytest.fixture
def watcher():
    made = Watcher()
    yield made
    made.server.shutdown()
    made.server.server_close()
