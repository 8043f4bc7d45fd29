from stratawatch.core.alarms.alarm_states import SYMBOLS, URGENCY, AlarmState
from tests.support.programs import loaded


def test_every_state_has_a_sign_of_its_own_and_a_place():
    assert set(SYMBOLS) == set(URGENCY) == set(AlarmState)
    assert len(set(SYMBOLS.values())) == len(URGENCY) == len(AlarmState)


def test_signs_cost_the_command_line_nothing():
    assert loaded("import stratawatch.core.alarms.alarm_states", ["numpy"]) == set()
