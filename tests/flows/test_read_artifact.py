"""Progress of a read in the Prefect UI: one artifact a phase, not too often, and never at the read's cost."""

from uuid import uuid4

import httpx
import pytest
from prefect.exceptions import ObjectNotFound

from tasks import read_artifact
from tasks.read_artifact import ReadArtifact


@pytest.fixture
def written(monkeypatch):
    """What would be sent to Prefect."""
    calls = []

    def create(progress, key, description):
        calls.append(("create", key, progress))
        return uuid4()

    monkeypatch.setattr(read_artifact, "create_progress_artifact", create)
    monkeypatch.setattr(
        read_artifact, "update_progress_artifact", lambda _, progress: calls.append(("update", progress))
    )
    return calls


class TestReadArtifact:
    def test_a_phase_has_one_artifact_that_is_brought_up_to_date(self, written):
        show = ReadArtifact(7, every=0)
        for share in (None, 0.25, 0.5, 1.0):
            show("counting the window", share)
        assert written == [("create", "cycle-7-counting-the-window", 25.0), ("update", 50.0), ("update", 100.0)]

    def test_a_short_read_leaves_none(self, written):
        show = ReadArtifact(7, every=60)
        for share in (None, 0.25, 1.0):
            show("counting the window", share)
        assert written == []

    @pytest.mark.parametrize(
        "trouble",
        [
            httpx.ConnectError("away"),
            ObjectNotFound(httpx.HTTPError("gone")),
            RuntimeError("not started"),
            ValueError("no JSON"),
            OSError("no network"),
        ],
        ids=lambda trouble: type(trouble).__name__,
    )
    def test_trouble_with_prefect_is_logged_once_and_ends_there(self, monkeypatch, trouble):
        tries = []

        def away(**_):
            tries.append(1)
            raise trouble

        monkeypatch.setattr(read_artifact, "create_progress_artifact", away)
        show = ReadArtifact(7, every=0)
        show("counting the window", 0.1)
        show("counting the window", 0.2)
        assert len(tries) == 1

    def test_a_bug_is_no_trouble_with_prefect(self, monkeypatch):
        monkeypatch.setattr(read_artifact, "create_progress_artifact", lambda: None)
        with pytest.raises(TypeError):
            ReadArtifact(7, every=0)("counting the window", 0.1)
