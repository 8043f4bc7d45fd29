"""Label Studio, in the environment that `make test-live` installs it into: one server a process, and people who use it."""

import atexit
import json
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from http.client import HTTPConnection
from pathlib import Path
from tempfile import mkdtemp
from typing import Any
from urllib.parse import urlsplit

import httpx
from pydantic import SecretStr

from stratawatch.adapters.queues.label_studio import LabelStudioQueue
from stratawatch.adapters.queues.label_studio_api import LabelStudioApi
from tests.support.deaths import Steps
from tests.support.queue_backends import RootedBackend, torn

PLACE = Path(__file__).parents[2] / ".venv-label-studio"
PROGRAM = PLACE / "bin" / "label-studio"
BEGUN = PLACE / "begun"
"""What a server that has begun once keeps: its database, with all migrations and its first user, and its secret key."""
KEPT = ("label_studio.sqlite3", ".env")
TOKEN = "0123456789abcdef0123456789abcdef01234567"
PATIENCE = 600.0
"""Seconds until a server answers: making its database takes it a minute, and several where others use the processors."""
IN_ONE = 1000
"""Tasks that tests import together."""
QUIET = {
    "COLLECT_ANALYTICS": "False",
    "LATEST_VERSION_CHECK": "False",
    "SENTRY_DSN": "",
    "FRONTEND_SENTRY_DSN": "",
    "DO_NOT_TRACK": "1",
    "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN": "True",
    "LOG_LEVEL": "ERROR",
}
"""Nothing is reported to anyone, and tokens of both kinds are taken."""


@cache
def server() -> str:
    """The address of this process's server, which begins with what is kept and ends with this process."""
    if not BEGUN.exists():
        raise RuntimeError(f"no {BEGUN}: `make test-live` makes it, or `python -m tests.support.label_studio`")
    running, address = _started(Path(shutil.copytree(BEGUN, Path(mkdtemp(prefix="label-studio-")), dirs_exist_ok=True)))
    atexit.register(running.kill)
    return address


def begin_once() -> None:
    """Let a server make its database, and keep it for those that tests start."""
    folder = Path(mkdtemp(prefix="label-studio-"))
    running, _ = _started(folder)
    running.terminate()
    running.wait(PATIENCE)
    ready = Path(mkdtemp(dir=PLACE))
    for name in KEPT:
        shutil.copy(folder / name, ready / name)
    shutil.rmtree(BEGUN, ignore_errors=True)
    ready.rename(BEGUN)
    shutil.rmtree(folder)


def _started(folder: Path) -> tuple[subprocess.Popen[bytes], str]:
    """A server that keeps its data in a folder and answers, and its address."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    command = [PROGRAM, "start", "--no-browser", "--internal-host", "127.0.0.1", "--port", str(port)]
    user = ["--username", "ann@example.org", "--password", "hunter2hunter2", "--user-token", TOKEN]
    with (folder / "log").open("w") as log:
        running = subprocess.Popen(
            [*command, "--data-dir", folder, *user],
            env={**os.environ, **QUIET, "HOME": str(folder)},
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    address = f"http://127.0.0.1:{port}"
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            httpx.get(f"{address}/health", timeout=5, trust_env=False).raise_for_status()
        except httpx.HTTPError:
            if time.monotonic() > deadline or running.poll() is not None:
                running.kill()
                raise RuntimeError(f"no Label Studio: {(folder / 'log').read_text()[-2000:]}") from None
            time.sleep(0.2)
        else:
            return running, address


@cache
def people() -> httpx.Client:
    """Who is logged in at the server."""
    return httpx.Client(base_url=server(), headers={"Authorization": f"Token {TOKEN}"}, trust_env=False, timeout=60)


@cache
def another_person(name: str) -> httpx.Client:
    """Who signed up at the server by the link that its first user gave, as a browser does it."""
    link = said("GET", "/api/invite")["invite_url"]
    person = httpx.Client(base_url=server(), trust_env=False, timeout=60)
    person.get(link).raise_for_status()
    form = {
        "email": f"{name}@example.org",
        "password": "hunter2hunter2",
        "csrfmiddlewaretoken": person.cookies["csrftoken"],
    }
    if person.post(link, data=form).status_code != 302:
        raise RuntimeError(f"Label Studio did not let {name} sign up")
    person.headers["X-CSRFToken"] = person.cookies["csrftoken"]
    return person


def said(method: str, path: str, **content: Any) -> Any:
    """What the server answers."""
    answer = people().request(method, path, **content)
    answer.raise_for_status()
    return answer.json() if answer.content else None


def annotation(value: str) -> dict[str, Any]:
    """What the page of Label Studio sends when somebody answers."""
    choice = {"from_name": "answer", "to_name": "item", "type": "choices", "value": {"choices": [value]}}
    return {"result": [] if value == "skip" else [choice], "was_cancelled": value == "skip"}


@dataclass
class LabelStudioBackend(RootedBackend):
    """A queue, its projects, and the people there."""

    votes: int = 1

    def steps(self) -> Steps:
        names = ("create_project", "import_tasks", "delete_tasks", "change_data")
        return [(LabelStudioApi, name) for name in names]  # the other calls change nothing

    def unmarked(self, token: str = TOKEN, address: str = "", timeout: float = 60) -> LabelStudioQueue:
        api = LabelStudioApi(address or server(), SecretStr(token), timeout)
        return LabelStudioQueue(self.root, api, self.votes)

    @property
    def port(self) -> int:
        """Of the server."""
        return urlsplit(server()).port

    def by_way_of(self, port: int) -> LabelStudioQueue:
        """The queue, which reaches the server by another port."""
        return self.unmarked(address=f"http://127.0.0.1:{port}")

    @property
    def project(self) -> int:
        return self.queue().project()

    def tasks(self, vote: int = 1) -> list[dict]:
        """All tasks of a vote's project, with what was said about them."""
        params = {"project": self.queue().project(vote), "fields": "all", "page_size": 1000}
        answer = people().get("/api/tasks/", params={**params, "query": json.dumps({"ordering": ["tasks:id"]})})
        answer.raise_for_status()
        return answer.json()["tasks"]

    def asked(self) -> list[dict]:
        return [_asked(task["data"]) for task in self.tasks()]

    def task(self, key: str, vote: int = 1) -> dict:
        """The task about an item; somebody makes it by hand where there is none."""
        tasks = [task for task in self.tasks(vote) if task["data"]["item_key"] == key]
        if tasks:
            return tasks[0]
        data = {"item_key": key, "batch": "by hand", "question": "", "guideline": "", "text": ""}
        said("POST", f"/api/projects/{self.queue().project(vote)}/import", json=[{"data": data}])
        return self.task(key, vote)

    def answer(self, *, key: str, value: str, vote: int = 1, who: httpx.Client | None = None, **_: Any) -> int:
        """Answer now, as Label Studio's first user or as somebody else; the id of the annotation."""
        place = f"/api/tasks/{self.task(key, vote)['id']}/annotations/"
        answer = (who or people()).post(place, json=annotation(value))
        answer.raise_for_status()
        return int(answer.json()["id"])

    def tear(self, share: float, *, key: str, value: str, **_: Any) -> Callable[[], object]:
        """Send a part of what the page sends when somebody answers; returns what sends all of it."""
        body = json.dumps(annotation(value)).encode()
        sender = HTTPConnection(urlsplit(server()).netloc, timeout=60)
        sender.putrequest("POST", f"/api/tasks/{self.task(key)['id']}/annotations/")
        headers = {"Authorization": f"Token {TOKEN}", "Content-Type": "application/json", "Content-Length": len(body)}
        for name, content in headers.items():
            sender.putheader(name, str(content))
        sender.endheaders(torn(body, share))
        sender.close()
        return lambda: self.answer(key=key, value=value)

    def give(self, answers: Sequence[dict[str, Any]]) -> None:
        """Answer much at once: an import brings tasks that have an annotation each."""
        tasks = [
            {
                "data": {"item_key": one["key"], "batch": "by hand", "question": "", "guideline": "", "text": ""},
                "annotations": [annotation(one["value"])],
            }
            for one in answers
        ]
        for begin in range(0, len(tasks), IN_ONE):
            said("POST", f"/api/projects/{self.project}/import", json=tasks[begin : begin + IN_ONE])

    def edit(self, number: int, value: str) -> None:
        said("PATCH", f"/api/annotations/{number}/", json=annotation(value))

    def delete(self, number: int) -> None:
        said("DELETE", f"/api/annotations/{number}/")


def _asked(data: dict[str, str]) -> dict[str, Any]:
    """A task as the contract has it: what is shown of the payload is read back."""
    assert set(data) == {"item_key", "batch", "question", "guideline", "text"}
    fields = [field.partition(": ") for field in data["text"].split("\n\n")]
    payload = {name: _read(value) for name, _, value in fields}
    return {"batch": data["batch"], "key": data["item_key"], "question": data["question"], "payload": payload}


def _read(value: str) -> Any:
    try:
        return json.loads(value)
    except ValueError:
        return value


if __name__ == "__main__":
    begin_once()
