"""Ends the wait for a call when its time is over, whatever the call does."""

from collections.abc import Callable
from concurrent.futures import Future, wait
from contextvars import copy_context
from threading import Thread
from typing import TypeVar

from stratawatch.errors import NoAnswer

Answer = TypeVar("Answer")


def call_within(seconds: float, call: Callable[[], Answer], what: str, *, hint: str = "it is tried again") -> Answer:
    """The call's answer or its error; raises NoAnswer about `what` when it takes longer than so many seconds.

    The call goes on in a thread of its own, which is abandoned when its time is over: Python cannot stop a thread, and
    a timeout of a client library counts from byte to byte, leaves out the resolution of names, or is not there at all.
    An abandoned thread holds nothing that others wait for, and as a daemon it does not keep the process alive (those
    of an executor would). What it still brings about is a send that may have arrived, which receivers dedupe.
    """
    answer: Future[Answer] = Future()
    context = copy_context()  # an orchestrator's loggers look for their run there

    def run() -> None:
        try:
            answer.set_result(context.run(call))
        except BaseException as trouble:  # noqa: BLE001 - raised again in the thread that waits
            answer.set_exception(trouble)

    Thread(target=run, name=f"stratawatch: {what}", daemon=True).start()
    if not wait([answer], timeout=seconds).done:
        raise NoAnswer(f"{what} did not answer within {seconds:g} seconds", hint=hint)
    return answer.result()
