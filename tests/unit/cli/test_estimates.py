"""`estimates`: what is known, with interval, labels, method, revision and state."""

import json
import re

import pytest

from tests.unit.cli.conftest import ROWS, Installation


class TestJson:
    def test_every_estimate_has_the_same_keys(self, judged):
        rows = judged.json("estimates")["estimates"]
        assert len(rows) == 6
        assert {tuple(row) for row in rows} == {
            (
                "panel", "cycle", "period", "window_start", "window_end", "revision", "replaced", "estimated_at", "classifier",
                "metric", "segment", "value", "low", "high", "half_width", "n_eff", "undefined", "confidence",
                "labels_used", "deff", "method", "state", "reason", "missing", "lowest", "highest", "worst_low", "worst_high",
                "corrected", "corrected_low", "corrected_high", "uncorrected_reason", "shadow",
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
        assert f"'{value}'; expected " in err
        assert err.endswith(f"; did you mean '{meant}'?\n")


class TestDifferences:
    def test_a_classifier_less_another_has_an_interval(self, judged):
        rows = judged.json("estimates", "--classifier", "rf", "--minus", "lr")["estimates"]
        both = {(row["classifier"], row["metric"]): row["value"] for row in judged.json("estimates")["estimates"]}
        assert {row["metric"] for row in rows} == {"precision", "recall", "false_omission_rate"}
        for row in rows:
            assert row["classifier"] == "rf - lr"
            assert row["value"] == pytest.approx(both["rf", row["metric"]] - both["lr", row["metric"]])
            assert row["low"] <= row["value"] <= row["high"]

    def test_it_needs_both(self, judged):
        assert "--minus needs --classifier" in judged.run("estimates", "--minus", "lr", code=2).stderr
        assert (
            "there is no classifier 'rff - lr'"
            in judged.run("estimates", "--classifier", "rff", "--minus", "lr", code=2).stderr
        )


class TestText:
    @pytest.mark.parametrize("columns", [40, 60, 100])
    def test_it_fits_the_terminal(self, judged, columns):
        judged.columns = columns
        lines = judged.run("estimates", "--segments").stdout.splitlines()
        assert max(map(len, lines)) <= columns

    def test_values_stand_with_their_interval_and_state(self, judged):
        (row,) = judged.json("estimates", "--classifier", "lr", "--metric", "precision")["estimates"]
        out = judged.run("estimates").stdout
        assert f"{row['value']:.1%} ({100 * row['low']:.1f} to {100 * row['high']:.1f})" in out
        assert row["state"] in out
        assert "Intervals at 95%" in out

    def test_nothing_yet_points_to_status(self, fresh):
        assert "`stratawatch status` says what the cycles wait for" in fresh.run("estimates").stdout
        assert fresh.json("estimates") == {
            "estimates": [],
            "truth": [],
            "missing_answers": [],
            "label_errors": [],
            "disagreement": [],
        }


@pytest.fixture(scope="module")
def clustered(tmp_path_factory):
    """A cycle whose items belong to twelve customers, told by one command after another."""
    home = Installation(tmp_path_factory.mktemp("clustered"))
    home.configure(('segments = ["country"]', 'segments = ["country"]\ncluster = "customer"'))
    home.predict(f"SELECT *, 'c' || (substring(id, 6)::INTEGER % 12) AS customer FROM ({ROWS})")
    home.run("init")
    for command, hour in (("open", "06"), ("advance", "06"), ("advance", "08"), ("advance", "09")):
        home.run(command, "--now", f"2026-01-12T{hour}:00:00+00:00")
        home.answer()
    return home


class TestClusters:
    def test_every_estimate_has_its_design_effect(self, clustered):
        rows = clustered.json("estimates")["estimates"]
        assert len(rows) == 6
        for row in rows:
            assert row["undefined"] is not None or row["deff"] > 0

    def test_a_table_shows_it_and_says_what_it_is(self, clustered):
        out = clustered.run("estimates", "--method").stdout
        assert "deff" in out.splitlines()[1]
        assert "deff: labels come in clusters, so that the variance is so many times larger" in out

    def test_without_the_method_there_is_a_sentence(self, clustered):
        out = clustered.run("estimates").stdout
        assert "Labels come in clusters, and intervals are as wide as that makes them" in out
        assert "deff" not in out

    def test_it_fits_the_terminal(self, clustered):
        clustered.columns = 80
        assert max(map(len, clustered.run("estimates", "--segments").stdout.splitlines())) <= 80

    def test_without_clusters_there_is_no_such_column(self, judged):
        assert "deff" not in judged.run("estimates", "--method").stdout


class TestMethod:
    def test_it_says_how_each_number_was_made(self, judged):
        rows = judged.json("estimates")["estimates"]
        out = judged.run("estimates", "--method").stdout
        for row in rows:
            if row["n_eff"] is not None:
                name = f"{row['classifier']} {row['metric'].replace('_', ' ')}"
                assert re.search(rf"^{name} .* {row['n_eff']:,.0f}$", out, re.MULTILINE)
                assert row["method"] in " ".join(out.split())

    def test_without_it_nothing_of_that_is_said(self, judged):
        out = judged.run("estimates").stdout
        assert "n_eff" not in out
        assert "--method says how the numbers are made" in out

    def test_of_windows_together_too(self, judged):
        assert "n_eff" not in judged.run("estimates", "--together", "1").stdout
        (header, *_) = judged.run("estimates", "--together", "1", "--method").stdout.splitlines()[1:]
        assert header.split() == ["metric", "value", "labels", "n_eff"]


class TestMissingAnswers:
    @pytest.fixture
    def skipped(self, judged) -> Installation:
        """Every second item that was called spam cannot be told on a second look."""
        said = [json.loads(line) for path in sorted((judged.folder / "queue").rglob("in/*")) for line in path.open()]
        spam = [line for line in said if line["value"] == "yes"][::2]
        lines = [json.dumps({**line, "value": "skip", "at": "2026-01-12T10:00:00+00:00"}) + "\n" for line in spam]
        (judged.folder / "queue" / "in" / "again.jsonl").write_text("".join(lines))
        judged.run("advance", "--now", "2026-01-12T11:00:00+00:00")
        return judged

    def test_nothing_is_said_where_every_answer_came(self, judged):
        found = judged.json("estimates")
        assert found["missing_answers"] == judged.json("status")["missing_answers"] == []
        assert {(row["missing"], row["worst_low"]) for row in found["estimates"]} == {(None, None)}
        assert "missing" not in judged.run("estimates").stdout

    def test_bounds_stand_beside_the_interval(self, skipped):
        found = skipped.json("estimates")
        (missing,) = found["missing_answers"]
        (told,) = skipped.json("status")["missing_answers"]
        assert told["sentence"] == missing["sentence"]
        assert missing["skipped"] == sum(row["skipped"] for row in missing["counts"] if row["stratum"] is not None) > 5
        row = next(row for row in found["estimates"] if (row["classifier"], row["metric"]) == ("lr", "precision"))
        assert row["worst_low"] < row["lowest"] < row["highest"] < row["worst_high"]
        assert row["highest"] - row["lowest"] > row["missing"] / 2

    def test_words_name_the_assumption_the_widths_and_the_sides(self, skipped):
        skipped.columns = 160
        text = " ".join(skipped.run("estimates").stdout.split())
        assert "points wide, interval" in text
        assert "called positive by lr" in text
        for page in (text, " ".join(skipped.run("status").stdout.split())):
            assert "missing answers are taken to be like those of items alike in calls and scores" in page
        assert "stratum" not in text
        with_strata = skipped.run("estimates", "--method").stdout
        assert re.search(r"^stratum \d+ ", with_strata, re.MULTILINE)

    def test_of_a_panel_that_left_status_says_nothing(self, skipped):
        text = skipped.config.read_text(encoding="utf-8").replace("panels.spam", "panels.ham")
        skipped.config.write_text(text, encoding="utf-8")
        assert skipped.json("status")["missing_answers"] == []

    def test_older_windows_are_bounded_on_demand(self, skipped):
        assert len(skipped.json("estimates", "--history")["missing_answers"]) == 1


class TestThePanel:
    def test_is_named_as_an_argument_or_an_option(self, judged):
        one, other = (judged.json("estimates", *named) for named in (("spam",), ("--panel", "spam")))
        assert one == other
        assert one["estimates"]
        assert judged.json("estimates", "spam", "-p", "spam", "--together", "1")["together"]

    def test_two_that_differ_are_refused(self, judged):
        assert "two panels are named" in judged.run("estimates", "spam", "--panel", "scam", code=2).stderr

    def test_that_there_is_not_is_refused(self, judged):
        assert "there is no panel 'scam'" in judged.run("estimates", "scam", code=2).stderr

    def test_without_an_opened_window_is_not_unknown(self, fresh):
        assert "no window of panel 'spam' was opened yet" in fresh.run("estimates", "spam", code=2).stderr
