"""`check`: in how many windows a fall beyond each limit would be paged with the labels of the newest judged window."""

import re

from tests.support.store.old_schemas import first_schema
from tests.unit.cli.conftest import CONFIG

NOW = "2026-01-12T09:00:00+00:00"
LIMIT = 'metric = "precision"\nfloor = 0.97\nclassifiers = ["lr"]'
ENDS = [("lr", "precision", "floor"), ("rf", "false_omission_rate", "ceiling")]


def ends(pages):
    return [(row["classifier"], row["metric"], row["end"]) for row in pages]


def why_unknown(home, code=0):
    """The one reason for all ends, as JSON has it and as people are told."""
    document = home.json("check", "--now", NOW, code=code)
    assert ends(document["pages"]) == ENDS
    (why,) = {row["unknown"] for row in document["pages"]}
    assert document["found"]["limits of spam"] == {"weeks to a page": f"not known yet: {why}"}
    return why


class TestAJudgedWindow:
    def test_says_for_every_end_of_a_limit_in_how_many_a_fall_would_be_paged(self, judged):
        document = judged.json("check", "--now", NOW)
        assert ends(document["pages"]) == ENDS
        for row in document["pages"]:
            assert (row["panel"], row["unknown"]) == ("spam", "")
            five, ten = row["windows"]
            assert (five["loss"], ten["loss"]) == (0.05, 0.1)
            assert 1 <= ten["windows"] < five["windows"] <= 104

    def test_people_read_it_within_eighty_columns(self, judged):
        judged.columns = 80
        pages = judged.json("check", "--now", NOW)["pages"]
        out = judged.run("check", "--now", NOW).stdout
        assert max(len(line) for line in out.splitlines() if "sqlite" not in line) <= 80
        told = " ".join(out.split())
        assert (
            "limits of spam a metric beyond its limit: is paged in so many weeks on average, with labels like" in told
        )
        for row, name in zip(pages, ("lr precision (floor)", "rf false omission rate (ceiling)"), strict=True):
            five, ten = (one["windows"] for one in row["windows"])
            assert f"{name}: 5 points in {round(five, 1):g} weeks, 10 points in {round(ten, 1):g} weeks" in told

    def test_beyond_a_low_ceiling_losses_are_of_its_size(self, judged):
        judged.configure(("ceiling = 0.3", "ceiling = 0.02"))
        lr, rf = judged.json("check", "--now", NOW)["pages"]
        assert [one["loss"] for one in lr["windows"]] == [0.05, 0.1]
        assert [one["loss"] for one in rf["windows"]] == [0.01, 0.02]
        out = " ".join(judged.run("check", "--now", NOW).stdout.split())
        assert re.search(r"rf false omission rate \(ceiling\): 1 point in .+ weeks?, 2 points in ", out)

    def test_a_classifier_with_another_cut_off_was_not_in_it(self, judged):
        judged.configure(("cut_off = 0.6", "cut_off = 0.5"))
        lr, rf = judged.json("check", "--now", NOW)["pages"]
        assert (lr["unknown"], rf["unknown"]) == ("", "no window with this classifier has been judged")
        assert rf["windows"] == []

    def test_a_largest_drop_without_a_baseline_is_not_known(self, judged):
        judged.configure((LIMIT, LIMIT.replace("floor = 0.97", "floor = 0.97\nmax_drop = 0.1")))
        document = judged.json("check", "--now", NOW)
        assert document["pages"][-1]["unknown"] == "no baseline is in force"
        told = document["found"]["limits of spam"]["lr precision (max drop)"]
        assert told == "not known yet: no baseline is in force"

    def test_each_window_by_itself_takes_longer_for_a_slow_loss(self, judged):
        together = judged.json("check", "--now", NOW)["pages"]
        judged.configure(("budget = 60", 'budget = 60\nalarms = "window"'))
        alone = judged.json("check", "--now", NOW)["pages"]
        five, of_window = (rows[0]["windows"][0]["windows"] for rows in (together, alone))
        assert of_window is None or of_window > five


class TestNothingToGoBy:
    def test_no_window_has_been_judged(self, fresh):
        assert why_unknown(fresh) == "no window has been judged"

    def test_there_is_no_store_and_none_is_made(self, fresh):
        (fresh.folder / "stratawatch.db").unlink()
        assert why_unknown(fresh, code=1) == "the store cannot be used"
        assert not (fresh.folder / "stratawatch.db").exists()

    def test_a_store_of_an_older_schema(self, fresh):
        (fresh.folder / "stratawatch.db").unlink()
        first_schema(f"sqlite:///{fresh.folder}/stratawatch.db")
        assert why_unknown(fresh, code=1) == "the store cannot be used"

    def test_a_panel_without_limits_is_not_named(self, fresh):
        fresh.config.write_text(CONFIG[: CONFIG.index("[[panels.spam.limits]]")], encoding="utf-8")
        document = fresh.json("check", "--now", NOW)
        assert document["pages"] == []
        assert "limits of spam" not in document["found"]
