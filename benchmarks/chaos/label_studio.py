"""Label Studio itself, and somebody who answers there.

The story is played in another year than the annotations are made: `changed_tasks` is put into the product's processes
from outside, and dates what an annotation says as the story has it. Label Studio numbers annotations on from one run to
the next, and a snapshot leaves their ids out.
"""

import os
from dataclasses import dataclass
from typing import Any, Final

from benchmarks.chaos.annotator import Annotator
from benchmarks.chaos.places import BookPlace, Line
from benchmarks.chaos.world import Tick
from stratawatch.adapters.queues.label_studio_api import LabelStudioApi
from tests.support import label_studio as studio

STUDIO_USER: Final = "user 1"
"""The server's only one."""
_MOMENTS: dict[tuple[int, str], str] = {}
"""When an annotation came to its value, in the story; processes are forked from this one, and know it too."""


def begin_label_studio() -> None:
    """Start the server, once, and let its annotations be of the story's time."""
    os.environ["CHAOS_STUDIO"], os.environ["CHAOS_TOKEN"] = studio.server(), studio.TOKEN
    real = LabelStudioApi.changed_tasks

    def changed_tasks(*given: Any) -> Any:
        tasks = real(*given)
        for one in (one for task in tasks for one in task["annotations"]):
            one["updated_at"] = _MOMENTS[one["id"], _value(one)]
        return tasks

    LabelStudioApi.changed_tasks = changed_tasks  # type: ignore[method-assign, assignment]


def _value(annotation: dict[str, Any]) -> str:
    return "skip" if annotation["was_cancelled"] else str(annotation["result"][0]["value"]["choices"][0])


@dataclass(frozen=True)
class StudioPlace(BookPlace):
    """Projects, which have the tasks; the file says which batches are out."""

    def lines(self) -> list[Line]:
        return [("project", task["data"]["batch"], task["data"]["item_key"]) for task in self.tasks()]

    def asked(self) -> dict[str, str]:
        return {task["data"]["item_key"]: task["data"]["text"].removeprefix("text: ") for task in self.tasks()}

    def tasks(self) -> list[dict[str, Any]]:
        """All tasks of the projects that there are."""
        if not self.file.is_file():
            return []
        with self._opened() as sql:
            numbers = sql.execute("SELECT number FROM projects WHERE number IS NOT NULL ORDER BY vote").fetchall()
        asked = [{"project": number, "fields": "all", "page_size": 1000} for (number,) in numbers]
        return [task for params in asked for task in studio.said("GET", "/api/tasks/", params=params)["tasks"]]


@dataclass
class StudioAnnotator(Annotator):
    """Answers and edits in Label Studio, where nothing is torn and nobody is asked about an unknown item."""

    def _write(self, tick: Tick, line: dict[str, Any]) -> None:
        del tick
        if not isinstance(self.place, StudioPlace):
            raise TypeError("only a project of Label Studio can be written to")
        task = next(one for one in self.place.tasks() if one["data"]["item_key"] == line["key"])
        said = studio.annotation(line["value"])
        if task["annotations"]:
            number = task["annotations"][0]["id"]
            studio.said("PATCH", f"/api/annotations/{number}/", json=said)
        else:
            number = studio.said("POST", f"/api/tasks/{task['id']}/annotations/", json=said)["id"]
        _MOMENTS[number, line["value"]] = line["at"]

    def _append(self, tick: Tick, text: str) -> None:
        pass

    def _tear(self, tick: Tick, waiting: list[str], tasks: dict[str, str]) -> None:
        pass

    def _disturb(self, tick: Tick) -> None:
        self._change_minds(tick)  # of what was read: of two answers between two advances only the second is there
