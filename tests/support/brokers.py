"""Redis and RabbitMQ of Debian, and moto's SQS: one server of each a process, and labellers at the other side of it."""

import atexit
import json
import os
import pwd
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, ClassVar
from uuid import uuid4

from pydantic import SecretStr

from stratawatch.adapters.queues.broker import BrokerBook, BrokerQueue
from stratawatch.adapters.queues.rabbitmq_broker import RabbitBroker
from stratawatch.adapters.queues.redis_broker import BODY, RedisBroker
from stratawatch.adapters.queues.sqs_broker import A_CALL, SqsBroker, _address
from tests.support.deaths import Steps
from tests.support.free_ports import free_port
from tests.support.label_services import given
from tests.support.moto_server import PYTHON, SERVER
from tests.support.queue_backends import RootedBackend, asked_after, torn

PATIENCE = 90.0
PASSWORD = "hunter2"
SHORTLY = 1
"""Seconds for which tests let SQS hide what was read."""


@dataclass
class Server:
    """A running server. It ends with this process."""

    url: str
    process: "subprocess.Popen[bytes]"


@cache
def redis_server() -> Server:
    """Redis, which keeps every write."""
    port, folder = free_port(), mkdtemp(prefix="redis-")
    command = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--dir", folder]
    command += ["--appendonly", "yes", "--appendfsync", "no", "--requirepass", PASSWORD]
    server = Server(f"redis://:{PASSWORD}@127.0.0.1:{port}/0", started(command, Path(folder)))
    wait(server, Path(folder), redis_of(server.url).ping)
    return server


@cache
def rabbit_server() -> Server:
    """RabbitMQ, with its own node and folders. It does not run as root: Debian's package has made a user for it."""
    port, names, folder = free_port(), free_port(), Path(mkdtemp(prefix="rabbitmq-"))
    (folder / "rabbitmq.conf").write_text(
        f"listeners.tcp.1 = 127.0.0.1:{port}\ndefault_pass = {PASSWORD}\nvm_memory_high_watermark.absolute = 1GB\n"
        "disk_free_limit.absolute = 10MB\n"
    )
    (folder / "plugins").write_text("[].")
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "RABBITMQ_NODENAME": f"stratawatch{port}@localhost",
        "RABBITMQ_DIST_PORT": str(free_port()),
        "ERL_EPMD_PORT": str(names),
        "ERL_EPMD_ADDRESS": "127.0.0.1",
        "RABBITMQ_MNESIA_BASE": str(folder),
        "RABBITMQ_LOG_BASE": str(folder),
        "RABBITMQ_CONFIG_FILE": str(folder / "rabbitmq.conf"),
        "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "plugins"),
        "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "+S 1:1",
    }
    root = os.getuid() == 0
    if root:
        folder.chmod(0o755)
        owner = pwd.getpwnam("rabbitmq")
        for path in (folder, *folder.iterdir()):
            os.chown(path, owner.pw_uid, owner.pw_gid)
    user = "rabbitmq" if root else None
    # The server would start one that serves names of nodes, and leave it behind.
    found = Server(
        "", started(["epmd", "-port", str(names), "-address", "127.0.0.1"], folder, env=environment, user=user)
    )
    wait(found, folder, lambda: socket.create_connection(("127.0.0.1", names)).close())
    process = started(["/usr/lib/rabbitmq/bin/rabbitmq-server"], folder, env=environment, user=user)
    server = Server(f"amqp://guest:{PASSWORD}@127.0.0.1:{port}/%2F", process)
    wait(server, folder, lambda: rabbit_of(server.url))
    return server


def started(command: list[str], folder: Path, **how: Any) -> "subprocess.Popen[bytes]":
    with (folder / "output").open("wb") as output:
        running = subprocess.Popen(command, cwd=folder, stdout=output, stderr=output, start_new_session=True, **how)

    def end() -> None:
        os.killpg(running.pid, signal.SIGKILL)  # a script in front of a server does not end it
        running.wait()
        shutil.rmtree(folder, ignore_errors=True)

    atexit.register(end)
    return running


def wait(server: Server, folder: Path, asked: Callable[[], Any]) -> None:
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            asked()
        except Exception as trouble:
            if time.monotonic() > deadline or server.process.poll() is not None:
                raise RuntimeError((folder / "output").read_text(errors="replace")[-12000:]) from trouble
            time.sleep(0.2)
        else:
            return


@cache
def redis_of(url: str) -> Any:
    from redis import Redis

    return Redis.from_url(url)


@cache
def rabbit_of(url: str) -> Any:
    """A channel of somebody else at the broker."""
    from pika import BlockingConnection, URLParameters

    asked = URLParameters(url)
    asked.heartbeat = 0
    return BlockingConnection(asked).channel()


@cache
def sqs_server() -> Server:
    """Moto's SQS, in the environment that `make test-live` installs it into."""
    port, folder = free_port(), Path(mkdtemp(prefix="sqs-"))
    endpoint = f"http://127.0.0.1:{port}"
    server = Server(
        f"sqs://id:{PASSWORD}@eu-west-1?endpoint={endpoint}", started([PYTHON, "-c", SERVER, str(port)], folder)
    )
    wait(server, folder, lambda: sqs_of(server.url).list_queues())
    return server


@cache
def sqs_of(url: str) -> Any:
    """A client of somebody else."""
    return _address(SecretStr(url)).client(10)


@dataclass
class BrokerBackend(RootedBackend):
    """A queue, and labellers at the other side of the broker; a name of its own for each queue."""

    together: ClassVar = 10
    """Labels of a message, where there are many."""
    name: str = field(default_factory=lambda: uuid4().hex)
    _asked: dict[str, dict] = field(default_factory=dict)

    @property
    def book(self) -> BrokerBook:
        return BrokerBook(self.root)

    @property
    def port(self) -> int:
        """Of the server."""
        return int(self.server().url.rpartition(":")[2].partition("/")[0])

    def by_way_of(self, port: int) -> BrokerQueue:
        """The queue, which reaches the server by another port."""
        return self.unmarked(url=self.server().url.replace(f":{self.port}", f":{port}"))

    def asked(self) -> list[dict]:
        """A line for each item that labellers are asked about after all messages, which count once by their ids."""
        for name, body in self.messages():
            self._asked.setdefault(name, json.loads(body))
        return asked_after(self._asked.values())

    def answer(self, **said: Any) -> None:
        self.post(given(said))

    def tear(self, share: float, **said: Any) -> Callable[[], object]:
        """Send a message that was cut short; returns what sends it whole."""
        body = given(said)
        self.post(torn(body, share))
        return lambda: self.post(body)

    def give(self, answers: Sequence[dict[str, Any]]) -> None:
        """Answer much at once."""
        for begin in range(0, len(answers), self.together):
            self.post(given(*answers[begin : begin + self.together]))


class RedisBackend(BrokerBackend):
    """Over Redis."""

    server = staticmethod(redis_server)

    def steps(self) -> Steps:
        from redis import Redis

        return ((Redis, "execute_command"),)

    def unmarked(self, timeout: float = 10, url: str = "") -> BrokerQueue:
        address = SecretStr(url or redis_server().url)
        return BrokerQueue(self.root, RedisBroker(address, f"{self.name}-tasks", f"{self.name}-labels", timeout))

    def messages(self) -> list[tuple[str, bytes]]:
        """All that was sent, in order."""
        entries = redis_of(redis_server().url).xrange(f"{self.name}-tasks")
        return [(entry[b"id"].decode(), entry[BODY.encode()]) for _, entry in entries]

    def post(self, body: bytes, name: str = "") -> None:
        """Give labels."""
        del name
        redis_of(redis_server().url).xadd(f"{self.name}-labels", {BODY: body})


class RabbitBackend(BrokerBackend):
    """Over RabbitMQ."""

    server = staticmethod(rabbit_server)

    def steps(self) -> Steps:
        from pika.adapters.blocking_connection import BlockingChannel

        return [(BlockingChannel, name) for name in ("queue_declare", "basic_publish", "basic_get", "basic_ack")]

    def unmarked(self, timeout: float = 10, url: str = "") -> BrokerQueue:
        address = SecretStr(url or rabbit_server().url)
        return BrokerQueue(self.root, RabbitBroker(address, f"{self.name}-tasks", f"{self.name}-labels", timeout))

    def messages(self) -> list[tuple[str, bytes]]:
        """All that was sent and not read yet, in order."""
        channel, found = rabbit_of(rabbit_server().url), []
        while True:
            method, about, body = channel.basic_get(f"{self.name}-tasks", auto_ack=True)
            if method is None:
                return found
            found.append((about.message_id, body))

    def post(self, body: bytes, name: str = "") -> None:
        """Give labels."""
        from pika import BasicProperties

        channel = rabbit_of(rabbit_server().url)
        channel.queue_declare(f"{self.name}-labels", durable=True)
        channel.basic_publish("", f"{self.name}-labels", body, BasicProperties(message_id=name or uuid4().hex))


class SqsBackend(BrokerBackend):
    """Over SQS."""

    server = staticmethod(sqs_server)

    ending = ""
    """Of the queues' names."""
    together = 1000  # moto looks through all messages for each

    def steps(self) -> Steps:
        from botocore.client import BaseClient

        return ((BaseClient, "_make_api_call"),)

    def _names(self) -> tuple[str, str]:
        return f"{self.name}-tasks{self.ending}", f"{self.name}-labels{self.ending}"

    def unmarked(self, timeout: float = 10, url: str = "") -> BrokerQueue:
        return BrokerQueue(self.root, SqsBroker(SecretStr(url or sqs_server().url), *self._names(), timeout))

    def messages(self) -> list[tuple[str, bytes]]:
        """All that was sent and not read yet."""
        sqs, found = sqs_of(sqs_server().url), []
        url = sqs.get_queue_url(QueueName=self._names()[0])["QueueUrl"]
        asked = {"QueueUrl": url, "MaxNumberOfMessages": A_CALL, "MessageAttributeNames": ["All"]}
        while got := sqs.receive_message(**asked).get("Messages"):
            for one in got:
                found.append((one["MessageAttributes"]["id"]["StringValue"], one["Body"].encode()))
                sqs.delete_message(QueueUrl=url, ReceiptHandle=one["ReceiptHandle"])
        return found

    def post(self, body: bytes, name: str = "") -> None:
        """Give labels. SQS names messages itself."""
        sqs = sqs_of(sqs_server().url)
        once = {"MessageGroupId": "g", "MessageDeduplicationId": name or uuid4().hex} if self.ending else {}
        kind = {"FifoQueue": "true"} if self.ending else {}
        url = sqs.create_queue(QueueName=self._names()[1], Attributes=kind)["QueueUrl"]
        sqs.send_message(QueueUrl=url, MessageBody=body.decode(errors="replace"), **once)

    def wait_until_given_again(self) -> None:
        time.sleep(SHORTLY + 0.2)


class FifoBackend(SqsBackend):
    """Over SQS's queues that keep order."""

    ending = ".fifo"
