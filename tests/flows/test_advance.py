"""advance_cycles: one trouble does not stop the others, every trouble is seen, and two never run at once."""

from contextlib import ExitStack
from time import monotonic, sleep

import httpx
import pytest
from prefect.client.schemas.objects import StateType
from prefect.flow_engine import FlowRunEngine
from prefect.settings import PREFECT_FLOWS_HEARTBEAT_FREQUENCY, get_current_settings, temporary_settings

from flows.advance_cycles import SHOW, advance_cycles
from flows.local_runs import without_heartbeats
from flows.open_cycles import open_cycles
from flows.weekly_report import weekly_report
from stratawatch.adapters.sources import LONGEST_READ, SourceSettings
from stratawatch.engine.cycle.advance import READS_BEGIN, AdvanceResult
from stratawatch.engine.lease import NOTIFICATIONS, PURGE, QUEUE, hold_lease, panel_lease_name
from stratawatch.engine.model.states import CycleState
from stratawatch.errors import StaleState, StratawatchError, Unreachable
from tasks.policy import LONGEST_RUN
from tests.support.fakes import unreachable
from tests.support.scenario import open_all


def states(scenario) -> list[CycleState]:
    with scenario.ports.store.begin() as tx:
        return [cycle.state for cycle in tx.cycles.find()]


@pytest.fixture
def opened(flow_scenario):
    """Two cycles are open and nothing has been done with them; no flow has run."""
    assert len(open_all(flow_scenario)) == 2
    return flow_scenario


class TestOneTrouble:
    def test_does_not_stop_the_other_cycle(self, opened):
        opened.source.troubles = [unreachable()]
        state = advance_cycles(return_state=True)
        assert state.is_failed()
        assert states(opened) == [CycleState.OPEN, CycleState.LABELLING]

    def test_is_named_when_the_flow_fails_at_the_end(self, opened):
        opened.source.troubles = [unreachable()]
        with pytest.raises(StratawatchError, match="1 step failed: freeze 1: the table did not answer"):
            advance_cycles()

    def test_may_be_a_bug_and_still_stops_nobody_else(self, opened):
        opened.source.troubles = [ZeroDivisionError("a bug")]
        state = advance_cycles(return_state=True)
        assert "freeze 1: ZeroDivisionError: a bug" in state.message
        assert states(opened) == [CycleState.OPEN, CycleState.LABELLING]

    def test_at_the_queue_does_not_keep_cycles_from_being_frozen(self, opened, monkeypatch):
        monkeypatch.setattr(opened.queue, "poll", _raise(Unreachable("the queue is away")))
        state = advance_cycles(return_state=True)
        assert "collect: the queue is away" in state.message
        assert states(opened) == [CycleState.LABELLING, CycleState.LABELLING]

    def test_of_a_step_does_not_keep_notifications_back(self, opened):
        opened.source.windows.popitem()
        opened.queue.troubles = [unreachable()]
        state = advance_cycles(return_state=True)
        assert "dispatch 1: the table did not answer" in state.message
        assert states(opened) == [CycleState.LABELLING, CycleState.REFUSED]
        assert [notification.severity for notification in opened.channel.received] == ["warning"]

    def test_is_not_that_an_artifact_could_not_be_written(self, opened, monkeypatch):
        monkeypatch.setitem(SHOW, "plan", _raise(httpx.ConnectError("the server is away")))
        assert advance_cycles().troubles == ()

    def test_is_a_bug_in_an_artifact_and_the_cycle_has_moved_on(self, opened, monkeypatch):
        monkeypatch.setitem(SHOW, "plan", _raise(KeyError("budget")))
        state = advance_cycles(return_state=True)
        assert "plan 1: KeyError: 'budget'" in state.message
        assert states(opened) == [CycleState.LABELLING, CycleState.LABELLING]

    def test_is_over_at_the_next_advance(self, opened):
        opened.source.troubles = [unreachable()]
        advance_cycles(return_state=True)
        assert advance_cycles(return_state=True).is_completed()
        assert states(opened) == [CycleState.LABELLING, CycleState.LABELLING]


class TestHangingRun:
    def test_is_ended_and_gives_the_lease_back(self, opened, monkeypatch):
        monkeypatch.setattr(advance_cycles, "timeout_seconds", 1.0)
        monkeypatch.setattr(opened.queue, "poll", lambda _cursor: sleep(60))
        began = monotonic()
        state = advance_cycles(return_state=True)
        assert (state.type, state.name) == (StateType.FAILED, "TimedOut")
        assert monotonic() - began < 30
        with hold_lease(opened.ports, QUEUE, "another process"):
            pass

    @pytest.mark.parametrize("flow", [open_cycles, advance_cycles, weekly_report], ids=lambda flow: flow.name)
    def test_every_flow_has_a_bound(self, flow):
        assert flow.timeout_seconds == LONGEST_RUN

    def test_a_read_that_hangs_ends_long_before_its_run(self):
        """Ten minutes are left for the queue, the notifications and the purge."""
        assert READS_BEGIN + LONGEST_READ.total_seconds() + 600 <= LONGEST_RUN
        assert SourceSettings.model_fields["read_timeout"].default <= LONGEST_READ


class TestCalledDirectly:
    def test_has_no_heart_whose_end_must_be_waited_for(self, opened, monkeypatch):
        hearts = []
        monkeypatch.setattr(FlowRunEngine, "_emit_flow_run_heartbeat", lambda *_: hearts.append(1))
        advance_cycles()
        assert hearts == []

    def test_ends_with_its_block(self):
        with temporary_settings({PREFECT_FLOWS_HEARTBEAT_FREQUENCY: 30}):
            with without_heartbeats():
                assert get_current_settings().flows.heartbeat_frequency is None
            assert get_current_settings().flows.heartbeat_frequency == 30


class TestSomeoneFaster:
    def test_is_no_trouble(self, opened, monkeypatch):
        monkeypatch.setattr(
            "stratawatch.engine.cycle.plan_round.plan_round", _raise(StaleState("planned by someone else"))
        )
        done = advance_cycles()
        assert done.troubles == ()
        assert done.steps["plan"] == 0


class TestLease:
    def test_held_by_another_ends_quietly(self, opened):
        with ExitStack() as held:
            for name in (QUEUE, panel_lease_name("spam"), NOTIFICATIONS, PURGE):
                held.enter_context(hold_lease(opened.ports, name, "another process"))
            state = advance_cycles(return_state=True)
        assert state.type == StateType.COMPLETED
        assert "another process holds the lease" in state.message
        assert states(opened) == [CycleState.OPEN, CycleState.OPEN]

    def test_is_given_back_after_a_failure(self, opened):
        opened.source.troubles = [unreachable()]
        advance_cycles(return_state=True)
        with hold_lease(opened.ports, panel_lease_name("spam"), "another process") as holder:
            assert holder == "another process"


class TestPanel:
    def test_is_advanced_alone(self, opened):
        assert advance_cycles(panel="another").steps["freeze"] == 0
        assert advance_cycles(panel="spam").steps["freeze"] == 2


class TestRepetition:
    def test_four_advances_do_what_one_does(self, opened):
        assert isinstance(advance_cycles(), AdvanceResult)
        sent = list(opened.queue.sends)
        for _ in range(3):
            done = advance_cycles()
            assert (done.steps["plan"], done.steps["dispatch"], done.sent) == (0, 0, 0)
        assert opened.queue.sends == sent
        assert len(sent) == len(set(sent)) > 0

    def test_opening_again_opens_nothing(self, flow_scenario):
        assert len(open_cycles()) == 2
        assert open_cycles() == ()


def _raise(trouble):
    def fail(*_args, **_kwargs):
        raise trouble

    return fail
