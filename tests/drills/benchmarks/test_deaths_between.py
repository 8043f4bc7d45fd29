"""A process that dies between evidence, page and receipt, and windows that are judged ten times more."""

import pytest

from benchmarks.alert_faults import disturbed, of_evidence
from benchmarks.alert_faults_evidence import POINTS, live


@pytest.fixture(scope="module")
def calm(tmp_path_factory):
    return live(tmp_path_factory.mktemp("calm"), "s14", times=0)


def test_leaves_evidence_page_reminder_and_end_as_if_it_had_lived(calm, tmp_path):
    dying = live(tmp_path, "s14", times=1)
    assert {one.name: one.value for one in of_evidence([(calm, dying)]) if not one.holds} == {}
    assert set(dying.injected) == {*POINTS}
    assert [key.split("|")[1] for key, _ in calm.kept["told"]] == ["page", "resolved", "update:reminder 1"]
    assert calm.kept["incidents"][0][3] == "evidence"


def test_would_be_noticed_if_evidence_were_kept_before_its_page(calm, tmp_path):
    assert disturbed([(calm, live(tmp_path, "s14", times=1, commits_early=True))]) > 0
