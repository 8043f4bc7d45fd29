"""Measuring baselines as a flow: by hand, from a file below the configuration or from judged windows."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from flows.artifacts import baseline_rows
from flows.measure_baseline import measure_baseline
from stratawatch.errors import StratawatchError
from tests.support.predictions.tables import write
from tests.support.store.baselines import FIRST, other

NOW = datetime(2026, 1, 12, 6, tzinfo=UTC)
SCORES = [0.9] * 40 + [0.2] * 160


def labelled(installation, yes: int) -> Path:
    rows = {
        "id": ("VARCHAR", [f"l{i}" for i in range(200)]),
        "human": ("VARCHAR", ["yes"] * yes + ["no"] * (200 - yes)),
        **{f"score_{name}": ("DOUBLE", SCORES) for name in ("lr", "nb", "trees")},
    }
    return write(installation.folder / "labels" / "january.csv", rows)


@pytest.fixture
def labels(installation) -> Path:
    return labelled(installation, yes=30)


def test_from_labels_it_keeps_what_they_say_once(installation, labels):
    facts = {"file": "labels/january.csv", "label": "human", "config": installation.config, "now": NOW}
    measured = measure_baseline("spam", **facts)
    assert (len(measured.new), len(measured.unchanged), measured.undefined) == (12, 0, {})
    again = measure_baseline("spam", **facts)
    assert (len(again.new), len(again.unchanged)) == (0, 12)
    with installation.wired().ports.store.begin() as tx:
        stored = {(one.key.classifier, one.key.metric): one for one in tx.baselines.of("spam")}
    precision = stored["lr", "precision"]
    assert (precision.evidence.value, precision.n, precision.measured_at) == (0.75, 200, NOW)
    assert precision.source.startswith("labelled predictions january.csv (SHA-256 ")


def test_it_shows_which_baselines_are_in_force(installation, labels, monkeypatch):
    shown = []
    monkeypatch.setattr("flows.artifacts.create_table_artifact", lambda table, **facts: shown.append((table, facts)))
    facts = {"file": "labels/january.csv", "label": "human", "of": ["lr"], "config": installation.config}
    measure_baseline("spam", **facts, now=NOW)
    labelled(installation, yes=20)
    measure_baseline("spam", **facts, now=NOW + timedelta(hours=1))
    rows, described = shown[-1]
    assert [row["in force"] for row in rows if row["metric"] == "precision"] == ["", "yes"]
    assert described["description"].endswith("in force: at 2026-01-12 07:00")


def test_of_labels_drawn_apart_it_takes_the_numbers_of_either_side(installation, labels):
    measured = measure_baseline(
        "spam", "labels/january.csv", "human", ["lr"], called=400, passed=9600, config=installation.config, now=NOW
    )
    assert {one.method for one in measured.new} >= {"labels drawn apart, MOVER-R"}
    assert {one.key.classifier for one in measured.new} == {"lr"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"panel": "scam"}, "there is no panel 'scam'; expected spam"),
        ({}, "too few judged windows for a baseline"),
        ({"file": "../labels.csv"}, "the file of labelled predictions leads out of the folder of the configuration"),
        ({"file": "/etc/hosts.csv"}, "leads out of the folder"),
        ({"file": "labels/january.csv"}, r"column 'label' \(the label\) is missing"),
        ({"file": "labels/january.csv", "label": "human", "called": 9.0}, "two numbers"),
        ({"file": "labels/january.csv", "label": "human", "windows": 8}, "from windows or from labelled predictions"),
        ({"label": "human"}, "a column of labels is one of labelled predictions; expected a file beside it"),
    ],
    ids=["panel", "windows", "dots", "absolute", "label", "one side", "both", "no file"],
)
def test_what_cannot_be_is_one_sentence(installation, labels, changes, message):
    with pytest.raises(StratawatchError, match=message):
        measure_baseline(**{"panel": "spam", "config": installation.config, "now": NOW, **changes})
    with installation.wired().ports.store.begin() as tx:
        assert tx.baselines.of("spam") == ()


def test_its_artifact_shows_values_and_dates():
    ended = other(valid_until=NOW)
    first, last = baseline_rows([FIRST, ended], [FIRST])
    assert first["baseline"].startswith("81.2% (")
    assert (first["segment"], first["from"], first["until"]) == ("all", "2026-01-05 00:00", "further notice")
    assert first["rests on"] == "400 items"
    assert (first["in force"], last["in force"]) == ("yes", "")
    assert last["until"] == "2026-01-12 06:00"
