import io

import pytest
from rich.console import Console

import flows.demo_notebook
from flows.demo_notebook import PICTURE, Notebook

SMALL = 30_000


@pytest.fixture
def play(world, monkeypatch, tmp_path):
    """Plays the scene in the world of all tests; returns the exit status and what was shown."""
    monkeypatch.setattr(flows.demo_notebook, "build_world", lambda _seed: world)

    def played() -> tuple[int, str]:
        shown = io.StringIO()
        return Notebook(world.seed, tmp_path, Console(file=shown, width=120), SMALL).play(), shown.getvalue()

    return played


def test_shows_the_fall_and_where_it_is(play, tmp_path):
    status, shown = play()
    assert status == 0
    assert "people were asked about 360 and then 540 of them" in shown
    assert ">>> later.estimates()" in shown
    rows = {line.split()[0]: line for line in shown.splitlines() if line.startswith(("north", "west", "south"))}
    lowest = {region: float(line.split("(")[1].split(" to ")[0]) for region, line in rows.items()}
    assert lowest["north"] < 70
    inside, of = (
        next(line for line in shown.splitlines() if line.startswith("Truth inside")).split(" times")[0].split()[-3::2]
    )
    assert int(of) == 21
    assert (tmp_path / PICTURE).read_bytes().startswith(b"\x89PNG")
    assert int(inside) >= 16


def test_a_fall_that_does_not_show_is_a_broken_promise(play, monkeypatch):
    monkeypatch.setattr(flows.demo_notebook, "BREAK_WEEK", 2)
    status, shown = play()
    assert status == 1
    assert "promise broken: the fall of logistic does not show" in shown
