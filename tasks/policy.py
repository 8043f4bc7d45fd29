"""How use cases run as Prefect tasks: how long, when again, and what Prefect stores of them (nothing)."""

from collections.abc import Callable
from typing import Any, Final, ParamSpec, TypeVar, cast

import httpx
from prefect import Task, task
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State, TaskRun
from prefect.exceptions import PrefectException
from prefect.utilities.annotations import quote
from sqlalchemy.exc import OperationalError

from stratawatch.engine.ports import Ports
from stratawatch.errors import Unreachable
from stratawatch.settings.revealed_secrets import hiding_secrets

P = ParamSpec("P")
R = TypeVar("R")

LONGEST_RUN: Final = 3600.0
"""Seconds that a flow run may take. No flow waits for people, so a longer run hangs, and would hold its only slot."""

DELAYS: Final = [1.0, 5.0, 20.0]
"""Seconds before each further attempt, with jitter; after the last one, the next advance tries."""
JITTER: Final = 0.5

STORE_TROUBLE: Final = (OperationalError, OSError)
"""Errors of the store or the network. Every use case may be repeated."""
SERVER_TROUBLE: Final = (httpx.HTTPError, PrefectException, OSError, RuntimeError, ValueError)
"""What a call of Prefect's server may raise: it is away, refuses, does not start, or answers something unreadable."""


def sealed(ports: Ports) -> Ports:
    """The ports as a task's argument, quoted: Prefect would search everything inside them for futures, for minutes."""
    return cast("Ports", quote(ports))  # the task receives the ports themselves


def may_retry(trouble: object, *, counted: bool) -> bool:
    """Whether trying again at once may help.

    A use case that counts its failed attempts in the store is bounded there, over hours; repeating it within
    seconds would use up that patience, so only trouble that it does not count is tried again.
    """
    return isinstance(trouble, STORE_TROUBLE if counted else (*STORE_TROUBLE, Unreachable))


def use_case(*, run_name: str, counted: bool = False) -> Callable[[Callable[P, R]], Task[P, R]]:
    """Make a task of the function below; `counted` says that the engine counts its failures itself."""

    def condition(_task: Task[..., Any], _run: TaskRun, state: State[Any]) -> bool:
        return may_retry(state.result(raise_on_failure=False), counted=counted)

    def wrap(function: Callable[P, R]) -> Task[P, R]:
        return task(
            name=function.__name__,
            task_run_name=run_name,
            cache_policy=NO_CACHE,
            persist_result=False,
            retries=len(DELAYS),
            retry_delay_seconds=DELAYS,
            retry_jitter_factor=JITTER,
            retry_condition_fn=condition,
        )(hiding_secrets(function))

    return wrap
