"""`status` after a limit or a classifier went: what the newest window does not judge stands apart from what it does."""

from dataclasses import replace

from stratawatch.adapters.status_queries import SQLITE, read_status
from stratawatch.cli.status_document import status_document
from stratawatch.cli.status_streams import show_panel
from stratawatch.core.goals import Limit
from stratawatch.engine.model.pauses import Pauses
from tests.support.fakes import spec
from tests.support.scenario import label_weeks, new_scenario

LR, RF = (Limit("precision", floor=0.3, classifiers=(name,)) for name in ("lr", "rf"))


def test_is_in_a_line_with_its_last_window(tmp_path, capsys):
    scenario = new_scenario(tmp_path / "store.db", spec(budget=200, limits=(LR, RF)))
    label_weeks(scenario, 0, size=1000)
    scenario.panel = replace(scenario.panel, limits=(LR,))
    label_weeks(scenario, 1, size=1000)
    rows = read_status(SQLITE + str(tmp_path / "store.db"))
    document = status_document(rows, None, scenario.clock.now(), Pauses())
    newest = {row["classifier"]: row["in_newest_window"] for row in document["streams"]}
    assert newest == {"lr": True, "rf": False}
    show_panel(document["panels"][0], document["streams"])
    out = " ".join(capsys.readouterr().out.split())
    table, _, left = out.partition("Not in the newest window, last judged in 2026-01-05 to 2026-01-12: ")
    assert "lr precision" in table
    assert "rf precision" not in table
    assert left == "rf precision"


def test_is_nothing_where_all_are_judged(tmp_path, capsys):
    scenario = new_scenario(tmp_path / "store.db", spec(budget=200, limits=(LR, RF)))
    label_weeks(scenario, 0, 1, size=1000)
    document = status_document(read_status(SQLITE + str(tmp_path / "store.db")), None, scenario.clock.now(), Pauses())
    show_panel(document["panels"][0], document["streams"])
    assert "Not in the newest window" not in capsys.readouterr().out
