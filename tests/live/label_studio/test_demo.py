"""A week of the demo, labelled in Label Studio itself, beside one that is labelled in the folder."""

import pytest

import flows  # noqa: F401 - sets Prefect's environment before Prefect is imported
from stratawatch.demo.configuration import STUDIO_KEY, STUDIO_URL, queue_table
from stratawatch.errors import StratawatchError
from tests.support import label_studio as studio
from tests.support.played_demo import demo_world, play_demo_week

LABELS = 60


@pytest.fixture(scope="module")
def prefect_server():
    from prefect.testing.utilities import prefect_test_harness

    from flows.local_runs import without_heartbeats

    with prefect_test_harness(server_startup_timeout=120), without_heartbeats():
        yield


@pytest.mark.usefixtures("prefect_server")
def test_label_studio_gives_the_same_verdicts_and_estimates_as_the_folder(tmp_path_factory, monkeypatch):
    monkeypatch.setenv(STUDIO_URL, studio.server())
    monkeypatch.setenv(STUDIO_KEY, studio.TOKEN)
    world = demo_world(tmp_path_factory.mktemp("world"))
    played = {
        queue: play_demo_week(world, tmp_path_factory.mktemp(queue), queue, LABELS, monkeypatch)
        for queue in ("folder", "label_studio")
    }
    said = {queue: [(item, value) for item, _, value in found] for queue, (found, _) in played.items()}
    assert len(said["folder"]) == LABELS
    assert said["label_studio"] == said["folder"]
    assert played["label_studio"][1] == played["folder"][1]


def test_without_an_address_it_says_what_it_needs(monkeypatch):
    monkeypatch.delenv(STUDIO_URL, raising=False)
    with pytest.raises(StratawatchError, match="its address in LABEL_STUDIO_URL"):
        queue_table("label_studio")
