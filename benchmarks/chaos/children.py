"""Real child processes: forked for the engine, spawned for Prefect; each dies by SIGKILL or ends by itself."""

import json
import os
import pickle
import select
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO, Any, Final, Protocol

from benchmarks.chaos.fuse import Fuse, Orders, install
from benchmarks.chaos.local_bucket import keep_buckets_in_folders
from benchmarks.chaos.tick import Variant, meet_fault, run_tick
from benchmarks.chaos.world import Tick

PATIENCE: Final = 180.0
"""Seconds a child may take; more is a bug, not a kill."""
PATIENCE_WITH_FAULTS: Final = 60.0
"""Seconds within which the product must have given up on whatever is wrong with the world."""


@dataclass(frozen=True)
class Ending:
    """How a child ended: the point it was killed at, or empty; and what it had crossed."""

    killed_at: str
    crossed: tuple[str, ...]
    seconds: float
    sentences: frozenset[str] = frozenset()
    """What a process that met a fault said about the world, and kept in the store."""


class Runner(Protocol):
    """Runs the product at one moment."""

    def run(self, config: Path, tick: Tick, orders: Orders) -> Ending:
        """Run once, killed as ordered; raises when the child failed by itself."""
        ...

    def close(self) -> None:
        """End what still runs."""
        ...


def preload() -> None:
    """Import once what every forked child would import again; nothing is opened here."""
    keep_buckets_in_folders()
    import sqlite3

    import boto3.session
    import duckdb
    import httpcore
    import httpx
    import pika
    import redis
    import scipy.special
    import sqlalchemy.dialects.postgresql.psycopg
    import sqlalchemy.dialects.sqlite
    import sqlglot.dialects.duckdb

    import stratawatch.adapters.alerts.webhook
    import stratawatch.adapters.checks.great_expectations_check
    import stratawatch.adapters.queues.folder
    import stratawatch.adapters.queues.page
    import stratawatch.adapters.queues.rabbitmq_broker
    import stratawatch.adapters.queues.redis_broker
    import stratawatch.adapters.queues.sqs_broker
    import stratawatch.adapters.sources.duckdb_files
    import stratawatch.adapters.store
    import stratawatch.core.designs.joint
    import stratawatch.web.label_receiver
    import stratawatch.wiring

    del boto3, duckdb, httpcore, httpx, pika, redis, scipy, sqlalchemy, sqlglot, sqlite3, stratawatch


def forked(work: Callable[[], Any], result: Path, after: float | None = None, patience: float = PATIENCE) -> int:
    """Run `work` in a forked process; its outcome goes to `result`. Returns the wait status."""
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            result.write_bytes(pickle.dumps(("ok", work())))
            status = 0
        except BaseException:  # noqa: BLE001 - the parent shows it
            result.write_bytes(pickle.dumps(("failed", traceback.format_exc())))
        finally:
            # Nothing of the parent's (buffers, handlers, servers) may be ended here.
            os._exit(status)
    return _wait(pid, after, patience)


def in_child(work: Callable[[], Any], scratch: Path) -> Any:
    """The value of `work`, computed in a process of its own, so that this one never opens the store."""
    result = scratch / "result.pickle"
    forked(work, result)
    kind, value = pickle.loads(result.read_bytes())  # noqa: S301 - written by ourselves a moment ago
    if kind != "ok":
        raise RuntimeError(f"a child process failed:\n{value}")
    return value


@dataclass(frozen=True)
class Outcome:
    """Where a forked process died, or what its work returned."""

    killed_at: str
    crossed: tuple[str, ...]
    seconds: float
    value: Any = None


def under_fuse(scratch: Path, orders: Orders, work: Callable[[], Any], patience: float) -> Outcome:
    """Do some work in a forked process that dies as ordered; raises when it failed by itself."""
    log, result = scratch / "crossed.log", scratch / "tick.pickle"
    log.write_text("")
    result.unlink(missing_ok=True)
    began = time.monotonic()

    def with_fuse() -> Any:
        fuse = Fuse(log, orders)
        install(lambda: fuse)
        return work()

    status = forked(with_fuse, result, orders.after, patience)
    seconds = time.monotonic() - began
    crossed = tuple(log.read_text().splitlines())
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGKILL, signal.SIGTERM):
        return Outcome(_where(crossed, orders), crossed, seconds)
    value = pickle.loads(result.read_bytes())[1]  # noqa: S301 - written by our child a moment ago
    if status != 0:
        raise RuntimeError(f"a process failed by itself:\n{value}")
    return Outcome("", crossed, seconds, value)


@dataclass(frozen=True)
class EngineRunner:
    """Forks a child that runs the engine's steps itself."""

    scratch: Path
    variants: tuple[Variant, ...] = ()

    def run(self, config: Path, tick: Tick, orders: Orders) -> Ending:
        return self._run(orders, lambda: run_tick(config, tick, self.variants), PATIENCE)

    def meet(self, config: Path, tick: Tick, orders: Orders, machine_time: datetime | None) -> Ending:
        """Run once while something is wrong with the world, by the machine's clock if it shows a time."""
        return self._run(orders, lambda: meet_fault(config, tick, self.variants, machine_time), PATIENCE_WITH_FAULTS)

    def _run(self, orders: Orders, work: Callable[[], Any], patience: float) -> Ending:
        done = under_fuse(self.scratch, orders, work, patience)
        return Ending(done.killed_at, done.crossed, done.seconds, frozenset(done.value or ()))

    def close(self) -> None:
        pass


class FlowRunner:
    """Keeps a process that runs the real Prefect flows; after a kill the next run starts a new one."""

    def __init__(self, scratch: Path, environment: Mapping[str, str]) -> None:
        self._scratch, self._environment = scratch, dict(environment)
        self._process: subprocess.Popen[str] | None = None

    def run(self, config: Path, tick: Tick, orders: Orders) -> Ending:
        log = self._scratch / "flow.log"
        log.write_text("")
        process = self._process or self._start()
        order = {
            "config": str(config),
            "at": tick.at.isoformat(),
            "log": str(log),
            "targets": sorted(orders.targets),
            "point": orders.at,
            "signal": int(orders.signal),
        }
        commands, _ = _pipes(process)
        commands.write(json.dumps(order) + "\n")
        commands.flush()
        began = time.monotonic()
        answer = self._answer(process, log, orders)
        seconds = time.monotonic() - began
        crossed = tuple(log.read_text().splitlines())
        if answer == "done":
            return Ending("", crossed, seconds)
        self._process = None
        # Whoever is asked to end may do so in his own way; whoever is killed cannot.
        if process.wait(PATIENCE_WITH_FAULTS) != -signal.SIGKILL and orders.signal != signal.SIGTERM:
            raise RuntimeError(f"a flow failed by itself: {answer}\n{self._words()}")
        return Ending(_where(crossed, orders), crossed, seconds)

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def _start(self) -> subprocess.Popen[str]:
        with (self._scratch / "flow.err").open("w") as words:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "benchmarks.chaos.flow_child"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=words,
                text=True,
                env={**os.environ, **self._environment},
            )
        if _pipes(self._process)[1].readline() != "ready\n":
            raise RuntimeError(f"the flow process did not start\n{self._words()}")
        return self._process

    @staticmethod
    def _answer(process: subprocess.Popen[str], log: Path, orders: Orders) -> str:
        """Wait for the child's word; kill it when its time has come, counted from the first flow's first commit."""
        _, words = _pipes(process)
        if orders.after is None:
            return words.readline().strip()
        while process.poll() is None and not log.stat().st_size:
            time.sleep(0.005)
        # One that is done before its time lives on: an idle process is not what we want to kill.
        if not select.select([words], [], [], orders.after)[0]:
            process.kill()
        return words.readline().strip()

    def _words(self) -> str:
        return (self._scratch / "flow.err").read_text()[-4000:]


def _pipes(process: subprocess.Popen[str]) -> tuple[IO[str], IO[str]]:
    if process.stdin is None or process.stdout is None:
        raise RuntimeError("the flow process was started without pipes")
    return process.stdin, process.stdout


def _wait(pid: int, after: float | None, patience: float) -> int:
    end = time.monotonic() + (after if after is not None else patience)
    while time.monotonic() < end:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return status
        time.sleep(0.002)
    os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    if after is None:
        raise TimeoutError(f"a child did not end within {patience:.0f} s")
    return status


def _where(crossed: tuple[str, ...], orders: Orders) -> str:
    at_point = orders.after is None and crossed
    return crossed[-1] if at_point else "timer"
