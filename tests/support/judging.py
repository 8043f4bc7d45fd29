"""One window judged by itself, as the engine does it: the page first, then the state."""

from stratawatch.core.alarms.alarm_states import AlarmState, Judgement
from stratawatch.core.alarms.drops import NO_BASELINE
from stratawatch.core.alarms.judge import page_by_window
from stratawatch.core.alarms.judge_state import judge_state


def judge_alone(now, page_estimate, limit, margin, *, baseline=NO_BASELINE, blind_margin_factor=3.0):
    """The judgement of the first window of a stream."""
    why = page_by_window(now, page_estimate, limit, baseline=baseline)
    if why:
        return Judgement(AlarmState.BREACH, why)
    return judge_state([now], 1.0, limit, margin, blind_margin_factor=blind_margin_factor, baseline=baseline)
