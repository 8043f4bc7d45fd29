"""A Spark of this machine's own: a standalone master and two workers, processes of their own, on loopback only.

`python -m tests.support.spark_cluster` starts one, says its address, and stops it when it is interrupted.
"""

import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LOOPBACK: Final = "127.0.0.1"
WORKERS: Final = 2
PATIENCE: Final = 90
"""Seconds for a process to say that it is up; a busy machine takes its time."""

SHORT_LIVED: Final = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""A Java that lives for a minute should not spend it on compiling itself."""

SETTINGS: Final[Mapping[str, str]] = {
    "spark.driver.host": LOOPBACK,
    "spark.driver.bindAddress": LOOPBACK,
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.executor.memory": "900m",
    "spark.executor.cores": "1",
    "spark.scheduler.minRegisteredResourcesRatio": "1.0",
    "spark.sql.shuffle.partitions": "4",
    "spark.driver.extraJavaOptions": SHORT_LIVED,
    "spark.executor.extraJavaOptions": SHORT_LIVED,
}
"""For drivers of such a cluster: they listen on loopback too, and wait for both executors."""

CONNECT: Final[Mapping[str, str]] = {
    "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
    "spark.connect.grpc.binding.address": LOOPBACK,
    "spark.connect.grpc.binding.port": "0",
}
"""For a driver that is a Spark Connect server too, on a port of its choice."""


@contextmanager
def cluster() -> Iterator[str]:
    """The address of a master with two workers; all three are gone afterwards."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="stratawatch-spark-", ignore_cleanup_errors=True)))
        listen = ["--host", LOOPBACK, "--port", "0", "--webui-port", "0"]
        log = stack.enter_context(_process(folder, "master", ["org.apache.spark.deploy.master.Master", *listen]))
        address = _said(log, r"Starting Spark master at (spark://\S+)")
        logs = []
        for number in range(1, WORKERS + 1):
            place = ["--cores", "1", "--memory", "1g", "--work-dir", str(folder / f"work-{number}"), address]
            worker = ["org.apache.spark.deploy.worker.Worker", *listen, *place]
            logs.append(stack.enter_context(_process(folder, f"worker-{number}", worker)))
        for log in logs:
            _said(log, r"(Successfully registered with master)")
        yield address


@contextmanager
def driver(master: str, settings: Mapping[str, str] = MappingProxyType({})) -> Iterator["SparkSession"]:
    """A session at a master, once both workers have an executor for it; a source that finds it uses it."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(master).appName("stratawatch")
    session = builder.config(map={**SETTINGS, **settings}).getOrCreate()
    try:
        session.sparkContext.setLogLevel("ERROR")
        yield session
    finally:
        session.stop()


def connect_address(session: "SparkSession") -> str:
    """The address of the Spark Connect server that a driver with the settings CONNECT carries."""
    package = session.sparkContext._jvm.org.apache.spark.sql.connect.service
    service = getattr(getattr(package, "SparkConnectService$"), "MODULE$")  # as Java names an object of Scala's
    return f"sc://{LOOPBACK}:{service.localPort()}"


@contextmanager
def _process(folder: Path, name: str, command: list[str]) -> Iterator[Path]:
    """Run a class of Spark's; yields its log."""
    import pyspark

    home = Path(pyspark.__file__).parent
    own = {"SPARK_HOME": str(home), "SPARK_LOCAL_IP": LOOPBACK, "SPARK_DAEMON_MEMORY": "256m"}
    environment = {**os.environ, **own, "SPARK_DAEMON_JAVA_OPTS": SHORT_LIVED}
    log = folder / f"{name}.log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            [str(home / "bin" / "spark-class"), *command], env=environment, stdout=out, stderr=out, cwd=folder
        )
        try:
            yield log
        finally:
            process.terminate()
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(15)


def _said(log: Path, pattern: str) -> str:
    """Wait until a log says something; what it said."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        found = re.search(pattern, log.read_text(encoding="utf-8", errors="replace"))
        if found:
            return found[1]
        time.sleep(0.1)
    raise RuntimeError(f"{log.stem} is not up after {PATIENCE} s: {log.read_text(errors='replace')[-2000:]}")


def main() -> None:
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        raise SystemExit("Spark needs Java 17 or newer")
    with cluster() as address:
        print(address, flush=True)
        try:
            while True:
                time.sleep(3600)
        except KeyboardInterrupt:
            print("stopped")


if __name__ == "__main__":
    main()
