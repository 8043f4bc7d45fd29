"""A task is its use case with a retry policy and a log line, and nothing more."""

from dataclasses import dataclass, replace
from inspect import signature
from typing import ClassVar

import pytest
from prefect import flow
from prefect.cache_policies import NO_CACHE
from sqlalchemy.exc import OperationalError

from flows.advance_cycles import SHOW, TASKS
from stratawatch import report
from stratawatch.engine.baselines.measure_baseline import measure_baseline
from stratawatch.engine.cycle.advance import ONCE, STEPS
from stratawatch.engine.cycle.open_cycles import open_cycles
from stratawatch.engine.labels.collect_labels import Collected
from stratawatch.errors import InputRefused, LeaseHeld, StaleState, Unreachable
from stratawatch.settings.revealed_secrets import hiding_secrets, remember_secret
from tasks.policy import may_retry, sealed
from tests.support.fakes import unreachable
from tests.support.prefect_tasks import all_tasks

USE_CASES = [open_cycles, measure_baseline, *ONCE.values(), *STEPS.values()]


class TestEveryTask:
    @pytest.mark.parametrize("use_case", USE_CASES, ids=lambda use_case: use_case.__name__)
    def test_every_use_case_of_the_engine_has_a_task_of_its_name_with_its_parameters(self, use_case):
        task = all_tasks()[use_case.__name__]
        assert task.name == use_case.__name__
        assert list(signature(task.fn).parameters) == list(signature(use_case).parameters)

    def test_there_is_no_task_without_a_use_case(self):
        assert set(all_tasks()) == {use_case.__name__ for use_case in USE_CASES} | {"write_report"}
        assert callable(report.write)

    @pytest.mark.parametrize("name", sorted(all_tasks()))
    def test_it_keeps_nothing_and_tries_again_within_bounds(self, name):
        task = all_tasks()[name]
        assert (task.name, task.cache_policy, task.persist_result) == (name, NO_CACHE, False)
        assert 0 < task.retries == len(task.retry_delay_seconds) <= 5
        assert task.retry_condition_fn is not None


class TestAdvanceSteps:
    def test_the_flow_has_the_engines_steps(self):
        functions = {**ONCE, **STEPS}
        assert {name: task.name for name, task in TASKS.items()} == {
            name: function.__name__ for name, function in functions.items()
        }

    def test_artifacts_belong_to_steps(self):
        assert set(SHOW) <= set(STEPS)


class TestRetries:
    @pytest.mark.parametrize(
        "trouble", [unreachable(), OSError("reset"), OperationalError("", {}, Exception("locked"))]
    )
    def test_what_may_pass_by_itself_is_tried_again(self, trouble):
        assert may_retry(trouble, counted=False)

    @pytest.mark.parametrize(
        "trouble", [InputRefused("no column"), StaleState("moved"), LeaseHeld("held"), ValueError("a bug")]
    )
    @pytest.mark.parametrize("counted", [True, False])
    def test_what_will_be_the_same_again_is_not(self, trouble, counted):
        assert not may_retry(trouble, counted=counted)

    def test_what_the_engine_counts_over_hours_is_not_used_up_within_seconds(self):
        assert not may_retry(Unreachable("the table did not answer"), counted=True)
        assert may_retry(OSError("the store's disk hiccuped"), counted=True)

    def test_a_queue_that_fails_once_is_read_at_the_second_attempt(self, scenario, monkeypatch):
        polls = []
        poll = scenario.queue.poll

        def failing_once(cursor):
            polls.append(cursor)
            if len(polls) == 1:
                raise unreachable()
            return poll(cursor)

        monkeypatch.setattr(scenario.queue, "poll", failing_once)

        @flow
        def collecting():
            return all_tasks()["collect_labels"](scenario.ports)

        assert collecting().new == 0
        assert len(polls) >= 2

    def test_a_source_that_fails_is_left_to_the_next_advance(self, scenario):
        (cycle,) = open_cycles(scenario.ports, {scenario.panel.name: scenario.panel})
        scenario.source.troubles = [unreachable()]

        @flow
        def freezing():
            return all_tasks()["freeze_cycle"](scenario.ports, cycle, return_state=True).is_failed()

        assert freezing()
        assert scenario.source.reads == 1


class TestSecrets:
    def test_neither_logs_nor_states_show_one(self, scenario, monkeypatch, caplog):
        secret = "s3cr3t"
        remember_secret(secret)

        def fail(_cursor):
            raise ValueError(f"https://hooks/{secret}") from KeyError(secret)

        monkeypatch.setattr(scenario.queue, "poll", fail)

        @flow
        @hiding_secrets
        def collecting():
            all_tasks()["collect_labels"](scenario.ports)

        with caplog.at_level("DEBUG"):
            state = collecting(return_state=True)
        assert "hooks/s3cr3t" not in caplog.text + state.message
        assert "KeyError: '***'" in caplog.text
        assert "ValueError: https://hooks/***" in caplog.text
        assert "***" in state.message


@dataclass
class Searched:
    """An adapter that notices when somebody looks through its fields."""

    looked: ClassVar[list[str]] = []
    rows: tuple[int, ...] = (1, 2, 3)

    def __getattribute__(self, name: str):
        if name == "rows":
            type(self).looked.append(name)
        return super().__getattribute__(name)


class TestPorts:
    def test_prefect_does_not_search_them_and_the_use_case_gets_them_as_they_are(self, scenario, monkeypatch):
        ports = replace(scenario.ports, sources={"spam": Searched()})
        received = []
        monkeypatch.setattr(
            "stratawatch.engine.labels.collect_labels.collect_labels", lambda it: received.append(it) or Collected()
        )

        @flow
        def collecting(given):
            return all_tasks()["collect_labels"](given())

        collecting(lambda: sealed(ports))
        assert [it is ports for it in received] == [True]
        assert Searched.looked == []
        collecting(lambda: ports)
        assert Searched.looked != []
