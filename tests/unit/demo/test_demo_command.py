import os
from pathlib import Path
from unittest.mock import patch

import pytest

from flows.demo import MARKER, main, make_fresh_folder, set_environment
from flows.demo_output import DemoOutput
from stratawatch.demo.promises import PagedMetric
from stratawatch.errors import StratawatchError
from tests.support.demo_weeks import NOTIFICATION, PAGE, PRECISION, demo_result, week


@pytest.fixture(autouse=True)
def _environment_of_its_own(monkeypatch):
    """What the demo sets for itself no other test sees."""
    monkeypatch.setattr(os, "environ", dict(os.environ))


class TestFreshFolder:
    def test_makes_the_folder_with_its_parents(self, tmp_path):
        make_fresh_folder(tmp_path / "a" / "demo-out")
        assert [path.name for path in (tmp_path / "a" / "demo-out").iterdir()] == [MARKER]

    def test_throws_an_earlier_demo_away(self, tmp_path):
        make_fresh_folder(tmp_path / "out")
        (tmp_path / "out" / "old.txt").touch()
        make_fresh_folder(tmp_path / "out")
        assert not (tmp_path / "out" / "old.txt").exists()

    def test_takes_an_empty_folder(self, tmp_path):
        make_fresh_folder(tmp_path)
        assert (tmp_path / MARKER).exists()

    def test_never_throws_away_what_is_not_a_demos(self, tmp_path):
        (tmp_path / "thesis.tex").touch()
        with pytest.raises(StratawatchError, match="holds something else; choose another folder"):
            make_fresh_folder(tmp_path)
        assert (tmp_path / "thesis.tex").exists()

    def test_refuses_a_file_and_a_link(self, tmp_path):
        (tmp_path / "file").touch()
        (tmp_path / "real").mkdir()
        (tmp_path / "link").symlink_to(tmp_path / "real")
        for name in ("file", "link"):
            with pytest.raises(StratawatchError, match="is not a folder"):
                make_fresh_folder(tmp_path / name)


class TestSetEnvironment:
    def test_leaves_a_persons_own_server_alone(self, tmp_path, monkeypatch):
        monkeypatch.setenv("PREFECT_API_URL", "http://127.0.0.1:4200/api")
        monkeypatch.setenv("PREFECT_PROFILE", "mine")
        monkeypatch.setenv("PREFECT_HOME", "/elsewhere")
        monkeypatch.setenv("PREFECT_LOGGING_LEVEL", "DEBUG")
        monkeypatch.setenv("OMP_NUM_THREADS", "2")
        set_environment(tmp_path)
        assert "PREFECT_API_URL" not in os.environ
        assert "PREFECT_PROFILE" not in os.environ
        assert os.environ["PREFECT_HOME"] == str(tmp_path / "prefect")
        assert os.environ["PREFECT_LOGGING_LEVEL"] == "DEBUG"

    @pytest.mark.parametrize("is_there", [True, False])
    def test_begins_with_the_empty_database_that_was_made_once(self, tmp_path, monkeypatch, is_there):
        begun = tmp_path / "begun" / "prefect.db"
        if is_there:
            begun.parent.mkdir()
            begun.write_bytes(b"tables")
        monkeypatch.setattr("flows.demo.BEGUN", begun)
        set_environment(tmp_path)
        assert [one.read_bytes() for one in (tmp_path / "prefect").iterdir()] == [b"tables"] * is_there


class HandMade:
    """A production that is over before it began."""

    weeks = ()
    config = Path("stratawatch.toml")

    def __init__(self, world, pages) -> None:
        self.world, self.pages = world, pages

    def result(self):
        return demo_result(week(10, precision=PRECISION), pages=self.pages)


class TestMain:
    @pytest.mark.parametrize(
        ("pages", "status"),
        [
            (((PAGE, NOTIFICATION),), 0),
            ((), 1),
            (((PAGE, NOTIFICATION), (PagedMetric("trees", "recall", 3), NOTIFICATION)), 1),
        ],
        ids=["the break was paged", "nothing was paged", "a healthy classifier was paged too"],
    )
    def test_ends_with_0_only_when_its_promises_were_kept(self, tmp_path, monkeypatch, world, pages, status):
        import flows.demo_weeks  # brings Prefect, which only this worker needs

        made = staticmethod(lambda _folder, _seed, **_: HandMade(world, pages))
        monkeypatch.setattr(flows.demo_weeks.SimulatedProduction, "build", made)
        monkeypatch.setattr(DemoOutput, "print_mistakes", lambda _self, _config: None)
        with patch.dict(os.environ):  # main says where Prefect lives
            assert main(["--out", str(tmp_path / "out")]) == status

    def test_says_in_one_sentence_why_it_does_not_begin(self, tmp_path, capsys):
        (tmp_path / "thesis.tex").touch()
        assert main(["--out", str(tmp_path)]) == 2
        said = capsys.readouterr().err
        assert said == f"flows.demo: {tmp_path} holds something else; choose another folder with --out\n"
