"""Channels that fail in every way there is: each incident is opened, told and resolved under its key on each of them."""

import pytest

from benchmarks.alert_faults import OF_A_CONTROL, missing, play, twice, verdicts
from benchmarks.alert_faults_world import FAULTS, OF_JUDGEMENTS, OF_LEVELS
from stratawatch.adapters.alerts import REGISTRY

SEED = 16
NUMBER = 200


@pytest.mark.slow
def test_two_hundred_faults_lose_no_beginning_and_no_end():
    world, told, checks = play(NUMBER, SEED)
    assert {one.name: one.value for one in verdicts(NUMBER, told, checks) if not one.holds} == {}
    assert set(world.faults.injected) == {*FAULTS, OF_JUDGEMENTS, OF_LEVELS}
    assert {one.channel.partition("-")[0] for one in told} == {*REGISTRY} - {"console"}
    assert min(one.lasting for one in told) >= 20


def test_a_channel_that_takes_refusals_for_receipts_is_noticed():
    _, told, _ = play(OF_A_CONTROL, SEED, "credulous")
    assert missing(told) > 0


def test_a_channel_that_sends_under_new_keys_is_noticed():
    _, told, _ = play(OF_A_CONTROL, SEED, "forgetful")
    assert twice(told) > 0
