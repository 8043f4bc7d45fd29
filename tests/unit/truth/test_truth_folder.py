"""Files of truth: every whole line once, and what is no statement is set aside with the reason."""

import json
from datetime import UTC, datetime

import pytest

from stratawatch.adapters.truth.folder import TruthFolder
from stratawatch.errors import Unreachable

AT = "2026-01-20T00:00:00+00:00"


@pytest.fixture
def feed(tmp_path):
    return TruthFolder(tmp_path, "cards", "chargeback", "truth of cards in here")


def write(feed, *lines, name="a.jsonl") -> None:
    with (feed.folder / name).open("a") as handle:
        handle.writelines((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)


def test_says_what_a_line_says(feed):
    write(
        feed,
        {"item": "p-1", "value": "yes", "at": AT},
        {"item": "p-2", "value": False, "at": AT, "source": "appeal"},
        {
            "item": "p-3",
            "value": "yes",
            "at": AT,
            "predicted_at": "2026-01-05T01:00:00+01:00",
            "calls": {"lr": "No", "rf": 1},
        },
    )
    first, second, third = feed.poll({}).statements
    assert (first.panel, first.item, first.value, first.source) == ("cards", "p-1", "yes", "chargeback")
    assert (second.value, second.source, second.calls) == ("no", "appeal", {})
    assert (third.predicted_at, third.calls) == (datetime(2026, 1, 5, tzinfo=UTC), {"lr": False, "rf": True})


def test_goes_on_where_it_ended(feed):
    write(feed, {"item": "p-1", "value": "yes", "at": AT})
    first = feed.poll({})
    assert feed.poll(first.cursor).statements == ()
    write(feed, {"item": "p-2", "value": "yes", "at": AT})
    assert [one.item for one in feed.poll(first.cursor).statements] == ["p-2"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ({"item": "p", "value": "yes"}, "has no 'at'"),
        ({"value": "yes", "at": AT}, "has no 'item'"),
        ({"item": "p", "value": "skip", "at": AT}, "'value' is none of yes, no, retract"),
        ({"item": "p", "value": "yes", "at": AT, "calls": {"lr": "spam"}}, "'calls' is not an object"),
        ("{", "not valid JSON"),
    ],
)
def test_sets_aside_what_is_no_statement(feed, line, reason):
    write(feed, line)
    polled = feed.poll({})
    assert polled.statements == ()
    assert reason in polled.rejected[0].reason


def test_a_folder_that_is_away_is_said(feed, tmp_path):
    with pytest.raises(Unreachable, match="cannot be read"):
        TruthFolder(tmp_path / "away", "cards", "chargeback", "truth of cards in away").poll({})
