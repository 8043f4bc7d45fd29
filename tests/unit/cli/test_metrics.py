"""`metrics`: the numbers of `status` and `estimates` as Prometheus reads them."""

from datetime import datetime
from math import isnan

import pytest
from prometheus_client.parser import text_string_to_metric_families

from stratawatch.core.alarms.alarm_states import URGENCY
from tests.unit.cli.conftest import NOW

STREAM = ("panel", "classifier", "metric", "segment")


def read(text):
    """The value of every series: by its name without `stratawatch_`, then by its labels."""
    found = {}
    for family in text_string_to_metric_families(text):
        for one in family.samples:
            series, key = found.setdefault(one.name.removeprefix("stratawatch_"), {}), labels(**one.labels)
            assert key not in series
            series[key] = one.value
    return found


def labels(**values):
    return tuple(sorted(values.items()))


def stream(row):
    return labels(**{name: row[name] or "" for name in STREAM})


@pytest.fixture
def numbers(judged):
    return read(judged.run("metrics").stdout)


class TestEstimates:
    def test_are_those_of_the_command(self, judged, numbers):
        rows = judged.json("estimates")["estimates"]
        assert len(rows) == 6
        columns = {
            "estimate_ratio": "value",
            "estimate_low_ratio": "low",
            "estimate_high_ratio": "high",
            "estimate_confidence_ratio": "confidence",
            "estimate_labels": "labels_used",
            "estimate_effective_labels": "n_eff",
        }
        for name, column in columns.items():
            assert numbers[name] == {stream(row): row[column] for row in rows}
        ends = {stream(row): datetime.fromisoformat(row["window_end"]).timestamp() for row in rows}
        assert numbers["estimate_window_end_timestamp_seconds"] == ends

    def test_that_cannot_be_told_are_nan_and_null(self, fresh):
        fresh.predict(NOBODY_CALLED)
        judge(fresh)
        (row,) = fresh.json("estimates", "--classifier", "rf", "--metric", "precision")["estimates"]
        assert row["value"] is None
        assert isnan(read(fresh.run("metrics").stdout)["estimate_ratio"][stream(row)])
        unknown = {"name": "stratawatch_estimate_ratio", "labels": dict(stream(row)), "value": None}
        assert unknown in fresh.json("metrics")["metrics"]

    def test_of_a_segment_are_told_where_it_has_a_limit(self, fresh):
        fresh.configure(more=SEGMENT_LIMIT)
        judge(fresh)
        found = read(fresh.run("metrics").stdout)
        segments = {dict(key)["segment"] for key in found["estimate_ratio"]}
        assert segments == {"", "country=DE"}
        key = labels(panel="spam", classifier="lr", metric="recall", segment="country=DE")
        assert found["limit_floor_ratio"][key] == 0.2
        assert key in found["estimate_ratio"]


class TestStates:
    def test_one_of_them_is_1_and_it_is_that_of_status(self, judged, numbers):
        rows = judged.json("status")["streams"]
        assert len(rows) == 2
        expected = {
            labels(**dict(stream(row)), state=state): float(state == row["state"]) for row in rows for state in URGENCY
        }
        assert numbers["state"] == expected

    def test_limits_are_those_of_the_configuration(self, numbers):
        every = {"panel": "spam", "segment": ""}
        assert numbers["limit_floor_ratio"] == {labels(**every, classifier="lr", metric="precision"): 0.97}
        ceiling = labels(**every, classifier="rf", metric="false_omission_rate")
        assert numbers["limit_ceiling_ratio"] == {ceiling: 0.3}


class TestWork:
    def test_zeros_are_told(self, numbers):
        panel = labels(panel="spam")
        for name in ("open_items", "open_items_answered", "refused_windows", "unanswered_batches", "failed_batches"):
            assert numbers[name] == {panel: 0}

    def test_incidents_are_counted_by_kind(self, judged, numbers):
        kinds = [one["kind"] for one in judged.json("status")["incidents"]]
        assert kinds
        assert numbers["open_incidents"] == {
            labels(panel="spam", kind=kind, acknowledged=care): float(kinds.count(kind) if care == "no" else 0)
            for kind in ("BREACH", "BLIND")
            for care in ("yes", "no")
        }
        assert "oldest_unanswered_batch_timestamp_seconds" not in numbers

    def test_what_is_waited_for(self, fresh):
        fresh.run("open", "--now", NOW)
        fresh.run("advance", "--now", NOW)
        found, status = read(fresh.run("metrics").stdout), fresh.json("status")
        panel = labels(panel="spam")
        assert found["open_items"][panel] == status["cycles"][0]["drawn"] > 0
        assert found["open_items_answered"][panel] == 0
        assert found["open_cycles"] == {labels(panel="spam", state="labelling"): 1}
        assert found["unanswered_batches"][panel] == 1
        since = datetime.fromisoformat(status["oldest_unanswered_batch"]["waiting_since"]).timestamp()
        assert found["oldest_unanswered_batch_timestamp_seconds"][panel] == pytest.approx(since, abs=1e-3)

    def test_the_last_advance(self, judged, numbers):
        last = judged.json("status")["last_advance"]
        ended = datetime.fromisoformat(last["finished_at"]).timestamp()
        assert numbers["last_advance_timestamp_seconds"][()] == pytest.approx(ended, abs=1e-3)
        assert numbers["last_advance_troubles"][()] == 0

    def test_nothing_has_run(self, fresh):
        found = read(fresh.run("metrics").stdout)
        assert found["waiting_labels"] == {(): 0}
        assert "estimate_ratio" not in found
        assert "last_advance_timestamp_seconds" not in found


class TestWhatLeft:
    def test_a_classifier_that_left_has_no_series(self, judged):
        text = judged.config.read_text()
        kept = text[: text.index("[panels.spam.classifiers.rf]")] + text[text.index("[[panels.spam.goals]]") :]
        judged.config.write_text(kept.replace(RF_LIMIT, ""))
        judged.run("open", "--now", "2026-01-19T06:00:00+00:00")
        found = read(judged.run("metrics").stdout)
        assert {dict(key)["classifier"] for key in found["estimate_ratio"]} == {"lr"}
        assert {dict(key)["classifier"] for key in found["state"]} == {"lr"}

    def test_a_panel_that_left_has_no_series(self, judged):
        judged.config.write_text(judged.config.read_text().replace("panels.spam", "panels.ham"))
        found = read(judged.run("metrics").stdout)
        assert "estimate_ratio" not in found
        assert "state" not in found


class TestWhereTheyGo:
    def test_a_file_has_what_is_printed(self, judged):
        place = judged.folder / "collected" / "stratawatch.prom"
        said = judged.run("metrics", "--to", str(place)).stdout
        assert str(place) in said.replace("\n", "")
        assert read(place.read_text()) == read(judged.run("metrics").stdout)
        assert [one.name for one in place.parent.iterdir()] == [place.name]

    def test_a_store_that_is_not_there_is_told(self, fresh):
        (fresh.folder / "stratawatch.db").unlink()
        assert "stratawatch init" in fresh.run("metrics", code=2).stderr


def judge(home):
    """One cycle from predictions to judgement."""
    home.run("open", "--now", NOW)
    for hour in (6, 8, 9):
        home.run("advance", "--now", f"2026-01-12T0{hour}:00:00+00:00")
        home.answer()


RF_LIMIT = """
[[panels.spam.limits]]
metric = "false_omission_rate"
ceiling = 0.3
classifiers = ["rf"]
"""
SEGMENT_LIMIT = """
[[panels.spam.limits]]
metric = "recall"
floor = 0.2
classifiers = ["lr"]
segment = "country=DE"
"""
NOBODY_CALLED = """
SELECT
    'item-' || i AS id,
    TIMESTAMP '2026-01-05' + INTERVAL (i) MINUTE AS "at",
    'text ' || i AS "text",
    CASE WHEN i % 3 = 0 THEN 'DE' ELSE 'FR' END AS country,
    ((i * 7919) % 2003) / 2003.0 AS score_lr,
    ((i * 7919) % 2003) / 8000.0 AS score_rf,
    ((i * 7919) % 2003) / 2003.0 >= 0.5 AS pred_lr
FROM range(2000) AS t(i)
"""
