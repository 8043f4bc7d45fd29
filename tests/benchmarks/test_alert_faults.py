"""Channels that fail in every way there is: each incident is opened, told and resolved under its key on each of them."""

import pytest

from benchmarks.alert_faults import OF_A_CONTROL, disturbed, lives_of, missing, of_evidence, play, twice, verdicts
from benchmarks.alert_faults_evidence import POINTS
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


@pytest.mark.slow
def test_evidence_pages_and_ends_are_as_if_the_process_had_never_died():
    lives = lives_of("s1")
    assert {one.name: one.value for one in of_evidence([lives]) if not one.holds} == {}
    calm, dying = lives
    assert set(dying.injected) == {*POINTS}
    assert next(key.split("|")[1] for key, _ in calm.kept["told"]) == "page"
    assert calm.kept["incidents"][0][3] == "evidence"


@pytest.mark.slow
def test_evidence_that_is_kept_before_its_page_is_noticed():
    assert disturbed([lives_of("s1", commits_early=True)]) > 0
