"""The calls of Label Studio's REST API that its queue makes, with both kinds of token."""

import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, TypeVar

from pydantic import SecretStr

from stratawatch.adapters.secret_address import SecretAddress
from stratawatch.errors import StratawatchError

SERVICE: Final = "Label Studio"
A_CALL: Final = 100
"""Keys that are looked up, tasks that are imported, and tasks of a page, in one call."""
MOST_BYTES: Final = 32_000_000
"""Bytes of an answer."""
ACCESS_SECONDS: Final = 240.0
"""How long an access token is used; it lives 300 seconds."""
SHOWN: Final = 200
"""Characters of the reason of a refusal that are shown."""
_HINTS: Final[Mapping[int, str]] = {
    401: "see that [queue] token is right, and that the organisation allows tokens of its kind",
    403: "its user must be allowed to create projects, to import tasks and to delete them",
    404: "the project was deleted, or the token's user is in another organisation",
    413: "let the panel's payload be smaller, or the limit of the server before it larger",
}

CONFIG: Final = """\
<View>
  <Header value="$question"/>
  <Text name="guideline" value="$guideline" valueType="text" saveTextResult="no"/>
  <Text name="item" value="$text" valueType="text" saveTextResult="no"/>
  <Choices name="answer" toName="item" choice="single-radio" required="true" showInline="true">
    <Choice value="yes" hotkey="y"/>
    <Choice value="no" hotkey="n"/>
  </Choices>
</View>
"""
"""What an annotator sees. All words come from the task, so that nothing of them is read as XML or as a variable."""

Task = Mapping[str, Any]
_T = TypeVar("_T")


class LabelStudioApi:
    """Label Studio at one address. Errors name neither the token nor more of the address than its origin."""

    def __init__(self, url: str, token: SecretStr, timeout: float) -> None:
        self._address = SecretAddress(SERVICE, SecretStr(url), timeout=timeout)
        self._token = token
        self._access: tuple[str, float] | None = None

    def greet(self) -> None:
        """See that it is there and takes the token."""
        self._call("GET", "/api/current-user/whoami")

    def project_titled(self, title: str) -> int | None:
        """The first project with exactly this title; None where there is none."""
        params = {"title": title, "include": "id,title", "page_size": A_CALL}
        found = self._call("GET", "/api/projects/", params=params)["results"]
        return min((int(one["id"]) for one in found if one["title"] == title), default=None)

    def create_project(self, title: str) -> int:
        """A new project that asks yes or no, asks one person about a task, and does not ask again what was skipped."""
        asked = {
            "title": title,
            "label_config": CONFIG,
            "maximum_annotations": 1,
            "skip_queue": "IGNORE_SKIPPED",
            "enable_empty_annotation": False,
        }
        return int(self._call("POST", "/api/projects/", json=asked)["id"])

    def tasks_of_items(self, project: int, item_keys: Sequence[str]) -> Iterator[Task]:
        """The tasks about these items, with id and data."""
        for keys in in_calls(item_keys):
            yield from self._tasks(project, [_filter("data.item_key", "in_list", "String", keys)], "id,data")

    def tasks_of_batch(self, project: int, key: str) -> Iterator[Task]:
        """The tasks of a batch, with id, data and their annotations' ids."""
        yield from self._tasks(project, [_filter("data.batch", "in_list", "String", [key])], "id,data,annotations")

    def changed_tasks(self, project: int, since: datetime | None, after: int) -> Sequence[Task]:
        """The first page of tasks with a higher id than `after` that changed since then, with their annotations.

        An edit, a deletion and a skip of an annotation move the time of its task.
        """
        items = [_filter("id", "greater", "Number", after)]
        if since is not None:
            # Without fractions of a second the server answers 500.
            moment = since.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
            items.append(_filter("updated_at", "greater", "Datetime", moment))
        fields = "id,data,updated_at,annotations,result,was_cancelled,completed_by"
        return self._page(project, items, fields)

    def import_tasks(self, project: int, tasks: Iterable[Mapping[str, Any]]) -> None:
        """Import tasks, in one call. The server would do it twice."""
        self._call("POST", f"/api/projects/{project}/import", json=[{"data": task} for task in tasks])

    def delete_tasks(self, project: int, ids: Sequence[int]) -> None:
        """Delete tasks with all that was said about them."""
        for some in in_calls(ids):
            chosen = {"project": project, "selectedItems": {"all": False, "included": some}}
            params = {"id": "delete_tasks", "project": project}
            self._call("POST", "/api/dm/actions/", of=f"project {project}", params=params, json=chosen)

    def change_data(self, task: int, data: Mapping[str, Any]) -> None:
        """Replace the data of a task."""
        self._call("PATCH", f"/api/tasks/{task}/", json={"data": data})

    def _tasks(self, project: int, items: Sequence[Mapping[str, Any]], fields: str) -> Iterator[Task]:
        after = 0
        while page := self._page(project, [*items, _filter("id", "greater", "Number", after)], fields):
            yield from page
            after = int(page[-1]["id"])
            if len(page) < A_CALL:
                return

    def _page(self, project: int, items: Sequence[Mapping[str, Any]], fields: str) -> list[Task]:
        query = {"filters": {"conjunction": "and", "items": items}, "ordering": ["tasks:id"]}
        params = {
            "project": project,
            "page": 1,
            "page_size": A_CALL,
            "fields": "all" if "annotations" in fields else "task_only",
            "include": fields,
            "query": json.dumps(query),
        }
        return list(self._call("GET", "/api/tasks/", of=f"project {project}", params=params)["tasks"])

    def _call(self, method: str, path: str, of: str = "", **content: Any) -> Any:
        """The document that answers a call. An error says what it was a call `of`, where its path does not."""
        status, body = self._asked(method, path, content)
        if status == 401 and self._access is not None:  # an access token may be taken back before its time
            self._access = None
            status, body = self._asked(method, path, content)
        return _document(status, body, f"{method} {path}" + (f" for {of}" if of else ""))

    def _asked(self, method: str, path: str, content: Mapping[str, Any]) -> tuple[int, bytes]:
        return self._address.exchange(method, path, {"Authorization": self._authority()}, content, MOST_BYTES)

    def _authority(self) -> str:
        """A legacy token as it is, or what a personal token is exchanged for."""
        token = self._token.get_secret_value()
        if "." not in token:
            return f"Token {token}"
        if self._access is None or time.monotonic() > self._access[1]:
            path, begun = "/api/token/refresh", time.monotonic()
            status, body = self._address.exchange("POST", path, {}, {"json": {"refresh": token}}, MOST_BYTES)
            self._access = (str(_document(status, body, f"POST {path}")["access"]), begun + ACCESS_SECONDS)
        return f"Bearer {self._access[0]}"


def in_calls(whole: Sequence[_T]) -> Iterator[list[_T]]:
    """A sequence in parts that fit into a call each."""
    for begin in range(0, len(whole), A_CALL):
        yield list(whole[begin : begin + A_CALL])


def _filter(column: str, operator: str, type_: str, value: object) -> dict[str, Any]:
    return {"filter": f"filter:tasks:{column}", "operator": operator, "type": type_, "value": value}


def _document(status: int, body: bytes, asked: str) -> Any:
    try:
        document = json.loads(body) if body else {}
    except ValueError:
        document = None
    if 200 <= status < 300 and document is not None:
        return document
    reason = document.get("detail") if isinstance(document, Mapping) else None
    raise StratawatchError(
        f"{SERVICE} refused {asked}" if status >= 300 else f"{SERVICE} did not answer {asked} with JSON",
        expected="an answer of 2xx" if status >= 300 else "JSON",
        got=f"HTTP {status}" + (f": {str(reason)[:SHOWN]}" if reason else ""),
        hint=_HINTS.get(status, "see that [queue] url is the address of Label Studio, of release 1.23"),
        key="token" if status in (401, 403) else "url",
    )
