"""The demo's annotator in Label Studio: every task without an answer gets one, as its page would send it."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from pydantic import SecretStr

from stratawatch.adapters.queues.label_studio import LabelStudioQueue
from stratawatch.adapters.queues.label_studio_api import LabelStudioApi
from stratawatch.demo.annotator import Annotator, AnnotatorAnswer
from stratawatch.demo.configuration import STUDIO_KEY, STUDIO_URL

TIMEOUT: Final = timedelta(seconds=60)


class AnsweringApi(LabelStudioApi):
    """Label Studio for somebody who answers there."""

    def unanswered(self, project: int) -> Iterator[dict[str, Any]]:
        """The tasks of a project without an answer, in the order of their ids."""
        after = 0
        while tasks := self.changed_tasks(project, None, after):
            yield from (dict(task) for task in tasks if not task["annotations"])
            after = int(tasks[-1]["id"])

    def answer(self, task: int, value: AnnotatorAnswer) -> None:
        """Submit an answer, or skip the task."""
        choice = {"from_name": "answer", "to_name": "item", "type": "choices", "value": {"choices": [value]}}
        said = {"result": [] if value == "skip" else [choice], "was_cancelled": value == "skip"}
        self._call("POST", f"/api/tasks/{task}/annotations/", json=said)


@dataclass(frozen=True)
class StudioAnnotator:
    """Labels all that the first project asks, as the annotator would who reads a folder. Label Studio says who."""

    root: Path
    annotator: Annotator

    def answer(self, now: datetime) -> int:
        """Answer until nothing is left; returns the number of answers. Label Studio dates them itself."""
        del now
        token = SecretStr(os.environ[STUDIO_KEY])
        api = AnsweringApi(os.environ[STUDIO_URL], token, TIMEOUT.total_seconds())
        answered = 0
        for task in api.unanswered(LabelStudioQueue(self.root, api).project()):
            text = str(task["data"]["text"]).removeprefix("text: ")
            api.answer(int(task["id"]), self.annotator.value(task["data"]["item_key"], text))
            answered += 1
        return answered
