"""`estimates`: what is known, with interval, labels, method, revision and state."""

import pytest


class TestJson:
    def test_every_estimate_has_the_same_keys(self, judged):
        rows = judged.json("estimates")["estimates"]
        assert len(rows) == 6
        assert {tuple(row) for row in rows} == {
            (
                "panel", "cycle", "period", "window_start", "window_end", "revision", "estimated_at", "classifier",
                "metric", "segment", "value", "low", "high", "half_width", "n_eff", "undefined", "confidence",
                "labels_used", "deff", "method", "state", "reason",
            )
        }  # fmt: skip

    def test_an_estimate_is_a_value_inside_its_interval(self, judged):
        for row in judged.json("estimates")["estimates"]:
            assert row["low"] <= row["value"] <= row["high"]
            assert row["half_width"] == pytest.approx((row["high"] - row["low"]) / 2)
            assert 0 < row["labels_used"] <= 60
            assert row["confidence"] == 0.95
            assert row["estimated_at"].endswith("+00:00")

    def test_only_streams_with_a_limit_have_a_state(self, judged):
        rows = judged.json("estimates")["estimates"]
        assert {(row["classifier"], row["metric"]) for row in rows if row["state"]} == {
            ("lr", "precision"),
            ("rf", "false_omission_rate"),
        }

    def test_segments_are_shown_on_demand(self, judged):
        rows = judged.json("estimates", "--segments")["estimates"]
        assert {row["segment"] for row in rows} == {None, "country=DE", "country=FR"}

    def test_history_has_every_window(self, judged):
        assert {row["period"] for row in judged.json("estimates", "--history")["estimates"]} == {0}


class TestFilters:
    def test_a_classifier_and_a_metric(self, judged):
        (row,) = judged.json("estimates", "--classifier", "lr", "--metric", "recall")["estimates"]
        assert (row["classifier"], row["metric"]) == ("lr", "recall")

    @pytest.mark.parametrize(
        ("option", "value", "meant"),
        [("--panel", "spamm", "spam"), ("--classifier", "lrr", "lr"), ("--metric", "precison", "precision")],
    )
    def test_a_name_that_is_not_there_is_told(self, judged, option, value, meant):
        err = judged.run("estimates", option, value, code=2).stderr
        assert f"'{value}'; did you mean '{meant}'?" in err


class TestText:
    @pytest.mark.parametrize("columns", [40, 60, 100])
    def test_it_fits_the_terminal(self, judged, columns):
        judged.columns = columns
        lines = judged.run("estimates", "--segments").stdout.splitlines()
        assert max(map(len, lines)) <= columns

    def test_values_stand_with_their_interval_and_state(self, judged):
        (row,) = judged.json("estimates", "--classifier", "lr", "--metric", "precision")["estimates"]
        out = judged.run("estimates").stdout
        assert f"{row['value']:.1%} ({row['low']:.1%} to {row['high']:.1%})" in out
        assert row["state"] in out
        assert "Intervals at 95.0%" in out

    def test_nothing_yet_points_to_status(self, fresh):
        assert "`stratawatch status` says what the cycles wait for" in fresh.run("estimates").stdout
        assert fresh.json("estimates") == {"estimates": []}
