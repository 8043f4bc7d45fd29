"""The whole product on one machine, killed and restored: `python -m deployments.rehearsal`, or `make rehearsal`.

A scheduled cycle runs by itself, labels come in, a page goes out, everything is killed with kill -9, a backup of before
the labels is put in the store's place, and the product goes on where it was. Then its Prefect server is killed, and all
is ended by SIGTERM. What happened when is written to rehearsal-out/transcript.txt; the status is 0 if all of it did.
"""

import argparse
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

import duckdb
import httpx

from stratawatch.atomic_files import replace_text

ROOT: Final = Path(__file__).resolve().parent.parent
PATIENCE: Final = 600.0
"""Seconds for whatever must come; a busy machine takes its time."""
SOON: Final = 12
"""Seconds between scheduled runs: a cron line cannot say less than a minute."""
SLUG: Final = "rehearsal"
"""Of those schedules: one without a name would be taken away when the flows are served again."""
PROMISED: Final = 10.0
"""Seconds in which docs/operations.md promises that a dead server is noticed, and that SIGTERM ends everything."""
FREED: Final = 90.0
"""Seconds in which docs/operations.md promises that a killed run is ended and its slot free."""
ITEMS: Final = 3000

CONFIGURATION: Final = """\
[store]
url = "sqlite:///store.db"
[queue]
kind = "folder"
root = "queue"
[[alerts]]
kind = "webhook"
name = "ops"
url = "${{env:REHEARSAL_HOOK}}"
[schedule]
open_cron = "* * * * *"
advance_cron = "* * * * *"
[panels.spam]
question = "Is it spam?"
guideline = "Spam is what nobody asked for."
seed = "rehearsal"
budget = 120
deadline = "3d"
[panels.spam.source]
kind = "files"
path = "predictions/*.parquet"
[panels.spam.columns]
item = "id"
time = "at"
payload = ["text"]
[panels.spam.schedule]
start = {start:%Y-%m-%dT%H:%M:%SZ}
every = "7d"
[panels.spam.classifiers.lr]
score = "score"
cut_off = 0.5
[[panels.spam.limits]]
metric = "precision"
floor = 0.8
"""


class Failed(Exception):  # noqa: N818 - the rehearsal failed, not the program
    """Something did not come, or came otherwise."""


@dataclass
class Rehearsal:
    """One folder with an installation in it, the product that runs there, and the transcript."""

    folder: Path
    began: float = field(default_factory=time.monotonic)
    pages: list[dict[str, Any]] = field(default_factory=list)
    port: int = 0
    up: subprocess.Popen[bytes] | None = None

    @property
    def config(self) -> str:
        """The configuration."""
        return str(self.folder / "stratawatch.toml")

    def say(self, sentence: str) -> None:
        """Add a line to the transcript."""
        line = f"{time.monotonic() - self.began:6.1f} s  {sentence}"
        print(line, flush=True)  # noqa: T201 - a command
        with (self.folder / "transcript.txt").open("a", encoding="utf-8") as file:
            file.write(line + "\n")

    def wait_for(self, what: str, look: Callable[[], Any]) -> Any:
        """What `look` finds, once it finds anything."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if found := look():
                return found
            time.sleep(0.25)
        raise Failed(f"{what} did not come within {PATIENCE:.0f} s; see {self.folder}/up.log")

    def command(self, *arguments: str) -> str:
        """Run the command line beside the product; what it printed."""
        command = [sys.executable, "-m", "stratawatch.cli", *arguments, "--config", self.config]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603 - our own
        if done.returncode:
            raise Failed(f"stratawatch {arguments[0]} ended with {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def start(self) -> None:
        """Start the product as `make up` does, and let its schedules come every few seconds."""
        command = [sys.executable, "-m", "flows.up", "--config", self.config]
        with (self.folder / "up.log").open("a") as log:
            self.up = subprocess.Popen(  # noqa: S603 - our own
                [*command, "--port", str(self.port)],
                cwd=ROOT,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        for flow in ("open-cycles", "advance-cycles"):
            self.wait_for(f"the deployment {flow}", partial(self._schedule_soon, flow))

    def ask(self, method: str, path: str, body: object = None) -> Any:
        """Ask the Prefect server; None while it does not answer."""
        with suppress(httpx.HTTPError):
            answer = httpx.request(method, f"http://127.0.0.1:{self.port}/api{path}", json=body, timeout=10)
            return answer.json() if answer.is_success and answer.content else answer.is_success or None
        return None

    def _schedule_soon(self, flow: str) -> bool:
        found = self.ask("GET", f"/deployments/name/{flow}/{flow}")
        if not found:
            return False
        if any(one["slug"] == SLUG for one in found["schedules"]):
            return True
        begin = (datetime.now(UTC) + timedelta(seconds=3)).isoformat()
        schedules = [{"active": True, "schedule": {"interval": SOON, "anchor_date": begin}, "slug": SLUG}]
        return bool(self.ask("POST", f"/deployments/{found['id']}/schedules", schedules))

    def runs(self, *states: str, since: datetime | None = None) -> list[dict[str, Any]]:
        """Runs of advance-cycles that a schedule made, in some states; those that began since a moment."""
        begun = {"start_time": {"after_": since.isoformat()}} if since else {}
        asked = {
            "flows": {"name": {"any_": ["advance-cycles"]}},
            "flow_runs": {"state": {"type": {"any_": states}}, **begun},
        }
        return [run for run in self.ask("POST", "/flow_runs/filter", asked) or () if run["auto_scheduled"]]

    def ended(self, run: str) -> Any:
        """The run if it is no longer under way."""
        found = self.ask("GET", f"/flow_runs/{run}")
        return found if found and found["state_type"] not in {"PENDING", "RUNNING"} else None

    def slot_is_free(self, deployment: str) -> bool:
        """Whether the one slot of advance-cycles is free, or has been and another run has it."""
        found = self.ask("GET", f"/deployments/{deployment}")
        free = bool(found) and found["global_concurrency_limit"]["active_slots"] == 0
        return free or bool(self.runs("PENDING", "RUNNING"))

    def cycle(self) -> dict[str, Any]:
        """The one cycle, as `cycles` shows it."""
        cycles = json.loads(self.command("cycles", "--json"))["cycles"]
        return cycles[0] if cycles else {"state": "none"}

    def estimates(self) -> Any:
        """What is estimated, as `estimates` shows it, less the moment."""
        rows = json.loads(self.command("estimates", "--json"))["estimates"]
        return [{key: value for key, value in row.items() if key != "estimated_at"} for row in rows]

    def processes(self, command: str = "") -> list[int]:
        """What has this rehearsal's Prefect folder in its environment, and this in its command line.

        So that they are found also when the process that started them is gone.
        """
        mark, found = f"PREFECT_HOME={self.folder / 'prefect'}".encode(), []
        for process in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):  # it ended meanwhile, or is another user's
                line = process.joinpath("cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                if command in line and mark in process.joinpath("environ").read_bytes().split(b"\0"):
                    found.append(int(process.name))
        return found

    def kill(self, command: str = "") -> None:
        """End processes by kill -9."""
        for number in self.processes(command):
            with suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)

    def kill_everything(self) -> None:
        """End all processes: first what would start others again, then until there is none."""
        if self.up:
            self.up.kill()
            self.up.wait()
        while self.processes():
            self.kill()
            time.sleep(0.1)


def play(stage: Rehearsal) -> None:
    """The story, from the first start to the last end."""
    produce(stage.folder)
    stage.command("init", "--upgrade")
    before = first_life(stage)
    second_life(stage, before)
    killed_run(stage)
    last_end(stage)


def first_life(stage: Rehearsal) -> Any:
    """A cycle from its schedule to its page, and the end of everything; the estimates that it left."""
    stage.start()
    stage.say("make up: the Prefect server answers and the flows are served")
    out = stage.folder / "queue" / "out"
    [batch, *_] = stage.wait_for("a batch", lambda: sorted(out.glob("*.jsonl")))
    stage.say(f"a scheduled run has opened, frozen and planned the window, and sent {batch.name}")
    stage.command("backup", str(stage.folder / "backup.db"))
    stage.say(f"backup made; {answer(stage.folder)} labels come in, all of them no")
    stage.wait_for("the page", lambda: answer(stage.folder) and stage.pages)
    stage.say(f"{answer(stage.folder)} labels later the page is out: {stage.pages[0]['subject']}")
    estimates = stage.estimates()
    stage.wait_for("a flow at work", lambda: stage.runs("RUNNING"))
    stage.kill_everything()
    stage.say("kill -9 of everything, a flow in the middle")
    return estimates


def second_life(stage: Rehearsal, before: Any) -> None:
    """The same cycle again from a backup of before its labels, while a killed run holds the slot of the flow."""
    killed = time.monotonic()
    stage.command("restore", str(stage.folder / "backup.db"))
    if stage.cycle()["state"] == "judged":
        raise Failed("the restored store is not that of before the labels")
    stage.say("the backup of before the labels is in the store's place")
    began = datetime.now(UTC)
    stage.start()
    stage.say("up again")
    stage.wait_for("a run in the slot of the killed one", lambda: stage.runs("RUNNING", "COMPLETED", since=began))
    stage.say(f"the next run has the slot of the killed one, {time.monotonic() - killed:.0f} s after the kill")
    stage.wait_for("the judgement", lambda: answer(stage.folder) and stage.cycle()["state"] == "judged")
    if stage.estimates() != before:
        raise Failed(f"other estimates than before: {before} became {stage.estimates()}")
    if len(stage.pages) != 1:
        raise Failed(f"people were paged {len(stage.pages)} times: {[page['subject'] for page in stage.pages]}")
    stage.say("the labels counted again, the estimates are those of before, nobody was paged twice")


def killed_run(stage: Rehearsal) -> None:
    """Flows at work are killed with what serves them, which alone would see them end and say so to the server."""
    end: dict[str, Any] = {"state_type": "COMPLETED"}
    while end["state_type"] == "COMPLETED":  # its last word was on the way
        [run, *_] = stage.wait_for("a flow at work", lambda: stage.runs("RUNNING"))
        killed = time.monotonic()
        stage.kill("flows.serve")
        stage.kill("prefect.engine")
        end = stage.wait_for("the end of the killed run", partial(stage.ended, run["id"]))
    stage.wait_for("a free slot", partial(stage.slot_is_free, run["deployment_id"]))
    freed = time.monotonic() - killed
    stage.say(f"kill -9 of a flow and of what serves it: {end['state_type']}, its slot free after {freed:.0f} s")
    if end["state_type"] != "CRASHED" or freed > FREED:
        raise Failed(f"a killed run is crashed, and its slot free, within {FREED:.0f} seconds")


def last_end(stage: Rehearsal) -> None:
    """The Prefect server dies alone and comes back; then SIGTERM ends everything."""
    [server, *_] = stage.processes("prefect server start")
    log, killed = stage.folder / "up.log", time.monotonic()
    os.kill(server, signal.SIGKILL)
    stage.wait_for("word of the dead server", lambda: "server ended" in log.read_text(encoding="utf-8"))
    noticed = time.monotonic() - killed
    stage.wait_for("the server", lambda: stage.ask("GET", "/health"))
    back = time.monotonic() - killed
    stage.say(f"kill -9 of the Prefect server: noticed after {noticed:.1f} s, answers again after {back:.0f} s")
    stage.wait_for("a flow at work", lambda: stage.runs("RUNNING"))
    running, asked, status = stage.processes(), time.monotonic(), None
    if stage.up:
        stage.up.terminate()
        status = stage.up.wait(PATIENCE)
    stage.wait_for("the end of all processes", lambda: not stage.processes())
    ended = time.monotonic() - asked
    stage.say(f"SIGTERM while a flow was at work: {len(running)} processes ended after {ended:.1f} s, status {status}")
    if noticed > PROMISED or ended > PROMISED or status != 0:
        raise Failed(f"a dead server is noticed, and all is ended, within {PROMISED:.0f} seconds and with status 0")


def produce(folder: Path) -> None:
    """One window that is over, with a configuration for it."""
    for name in ("predictions", "queue", "reports"):
        (folder / name).mkdir(parents=True)
    start = (datetime.now(UTC) - timedelta(days=8)).replace(microsecond=0)
    (folder / "stratawatch.toml").write_text(CONFIGURATION.format(start=start), encoding="utf-8")
    with duckdb.connect() as db:
        db.execute(
            f"COPY (SELECT 'm' || i AS id, TIMESTAMP '{start:%Y-%m-%d %H:%M:%S}' + to_seconds(i * 200) AS at, "
            f"'message ' || i AS text, ((i * 7919) % 1000) / 1000.0 AS score FROM range({ITEMS}) t(i)) "
            f"TO '{folder}/predictions/week.parquet' (FORMAT parquet)"
        )


def answer(folder: Path) -> int:
    """Answer every batch once, with no: what is called spam is none. Returns how many labels there are by now."""
    now, answers = datetime.now(UTC).isoformat(), folder / "queue" / "in"
    answers.mkdir(exist_ok=True)
    for batch in sorted((folder / "queue" / "out").glob("*.jsonl")):
        if (answers / batch.name).exists():
            continue
        keys = [json.loads(line)["key"] for line in batch.read_text().splitlines() if '"key"' in line]
        lines = [{"key": key, "value": "no", "annotator": "ann", "event_id": f"ann-{key}", "at": now} for key in keys]
        replace_text(answers / batch.name, "".join(json.dumps(line) + "\n" for line in lines))
    return sum(len(file.read_text().splitlines()) for file in answers.glob("*.jsonl"))


@contextmanager
def receiver(pages: list[dict[str, Any]]) -> Iterator[str]:
    """Whoever is on call: a webhook on loopback that knows an Idempotency-Key again."""
    known: set[str] = set()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            fresh = self.headers["Idempotency-Key"] not in known
            known.add(self.headers["Idempotency-Key"])
            if fresh and body["severity"] == "page":
                pages.append(body)
            self.send_response(202 if fresh else 409)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


def main(arguments: Sequence[str] | None = None) -> int:
    """Rehearse, and leave the transcript."""
    parser = argparse.ArgumentParser(prog="python -m deployments.rehearsal", description=__doc__)
    parser.add_argument("--folder", type=Path, default=ROOT / "rehearsal-out", help="emptied (default: %(default)s)")
    folder = parser.parse_args(arguments).folder.resolve()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        stage = Rehearsal(folder, port=probe.getsockname()[1])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # and nothing is left behind
    for name in [name for name in os.environ if name.startswith("PREFECT_")]:
        del os.environ[name]
    quick = {"PREFECT_RUNNER_POLL_FREQUENCY": "1", "PREFECT_SERVER_SERVICES_SCHEDULER_LOOP_SECONDS": "2"}
    os.environ |= quick | {"PREFECT_HOME": str(folder / "prefect")}
    try:
        with receiver(stage.pages) as hook:
            os.environ["REHEARSAL_HOOK"] = hook
            play(stage)
    except Failed as failed:
        stage.say(f"FAILED: {failed}")
        return 1
    finally:
        stage.kill_everything()
    stage.say("everything that was rehearsed holds")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
