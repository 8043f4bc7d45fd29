"""`census`: what a window holds, as numbers, as a table and as a picture; nothing is written."""

import re

import pytest

from tests.unit.cli.conftest import NOW, ROWS

NUMBERED = f"SELECT *, CAST(substr(id, 6) AS INTEGER) AS i FROM ({ROWS})"
POISON = """
    CASE WHEN id IN ('item-1', 'item-2', 'item-3') THEN NULL ELSE id END AS id,
    CASE WHEN id IN ('item-3', 'item-4', 'item-5', 'item-6', 'item-7') THEN NULL ELSE "at" END AS "at",
    CASE WHEN id LIKE 'item-101_' AND id <> 'item-1010' THEN 7.5 ELSE score_lr END AS score_lr
"""


def trimmed(text):
    """Without the blanks at the ends of lines."""
    return "\n".join(line.rstrip() for line in text.splitlines())


class TestNumbers:
    def test_every_item_is_in_one_atom(self, fresh):
        (found,) = fresh.json("census", "--now", NOW)["censuses"]
        assert (found["panel"], found["period"], found["complete"]) == ("spam", 0, True)
        assert (found["items"], found["rows"], found["bad_rows"]) == (2000, 2000, 0)
        assert sum(atom["items"] for atom in found["atoms"]) == 2000
        assert {atom["stratum"] for atom in found["atoms"]} == set(range(found["strata"]))
        assert {row["segment"]: row["items"] for row in found["segments"]} == {"country=DE": 667, "country=FR": 1333}

    def test_the_mean_score_of_an_atom_lies_between_its_ends(self, fresh):
        (found,) = fresh.json("census", "--now", NOW)["censuses"]
        assert all(0 <= a["from_score"] < a["mean_score"] < a["to_score"] <= 1 for a in found["atoms"])

    def test_classifiers_are_counted_by_what_they_said(self, fresh):
        (found,) = fresh.json("census", "--now", NOW)["censuses"]
        assert [(row["classifier"], row["nulls"], row["invalid"]) for row in found["classifiers"]] == [
            ("lr", 0, 0),
            ("rf", 0, 0),
        ]
        assert 900 < found["classifiers"][0]["positives"] < 1100

    def test_what_was_read_is_named(self, fresh):
        (found,) = fresh.json("census", "--now", NOW)["censuses"]
        assert found["source_version"]["files"] == 1

    def test_nothing_is_written(self, fresh):
        before = {path for path in fresh.folder.rglob("*") if "stratawatch.db-" not in path.name}
        fresh.run("census", "--now", NOW)
        assert {path for path in fresh.folder.rglob("*") if "stratawatch.db-" not in path.name} == before


class TestWindow:
    def test_a_day_names_the_window_that_holds_it(self, fresh):
        fresh.predict(f'SELECT * REPLACE ("at" + INTERVAL 7 DAY AS "at") FROM ({ROWS}) LIMIT 1500')
        (found,) = fresh.json("census", "--now", "2026-01-27T00:00:00+00:00", "--window", "2026-01-14")["censuses"]
        assert (found["period"], found["items"]) == (1, 1500)
        assert found["window_start"] == "2026-01-12T00:00:00+00:00"

    def test_one_that_is_not_over_can_be_looked_into_and_says_so(self, fresh):
        out = fresh.run("census", "--now", "2026-01-06T06:00:00+00:00", "--window", "2026-01-05").stdout
        assert "spam, window 2026-01-05 to 2026-01-12, not complete yet: 2,000 items" in out

    def test_before_the_first_window_there_is_none(self, fresh):
        err = fresh.run("census", "--window", "2026-01-04", code=2).stderr
        assert "panel 'spam' has no window that early; got 2026-01-04; the first is [2026-01-05" in " ".join(
            err.split()
        )

    def test_what_is_no_moment_is_told(self, fresh):
        assert "write 2026-01-05 or" in fresh.run("census", "--window", "monday", code=2).stderr
        assert "--window is out of reach" in fresh.run("census", "--window", "9999-12-31", code=2).stderr

    def test_without_a_complete_window_there_is_nothing_to_count(self, fresh):
        err = fresh.run("census", "--now", "2026-01-06T00:00:00+00:00", code=2).stderr
        assert "panel 'spam' has no complete window yet" in err

    def test_an_empty_one_is_no_trouble(self, fresh):
        out = fresh.run("census", "--now", "2026-03-02T00:00:00+00:00").stdout
        assert out.splitlines()[1:] == ["A cycle on it would be refused."]
        assert ": 0 items" in out


class TestPeople:
    def test_they_see_calls_patterns_segments_and_the_largest_atoms(self, fresh):
        out = fresh.run("census", "--now", NOW).stdout
        assert "spam, window 2026-01-05 to 2026-01-12: 2,000 items" in out
        assert "Patterns: what lr, rf say, in this order (1 yes, 0 no, - nothing)" in out
        assert "country=FR  1,333  66.6%" in out
        assert "Atoms: " in out

    def test_items_without_a_segment_are_told(self, fresh):
        assert "without a value" not in fresh.run("census", "--now", NOW).stdout
        fresh.predict(f"SELECT * REPLACE (NULLIF(country, 'DE') AS country) FROM ({ROWS})")
        (found,) = fresh.json("census", "--now", NOW)["censuses"]
        assert found["without_segment"] == [{"column": "country", "items": 667}]
        out = fresh.run("census", "--now", NOW).stdout
        assert "country=FR  1,333  66.6%\n" in trimmed(out)
        assert ".\nitems without a value of country: 667 (33.4%)\n" in out

    def test_a_segment_column_without_any_value_is_told_too(self, fresh):
        fresh.predict(f"SELECT * REPLACE (NULL::VARCHAR AS country) FROM ({ROWS})")
        assert "\nitems without a value of country: 2,000 (100%)\n" in fresh.run("census", "--now", NOW).stdout

    def test_all_shows_what_is_left_out_otherwise(self, fresh):
        (found,) = fresh.json("census", "--now", NOW)["censuses"]
        more = len(found["atoms"]) - 12
        assert more > 0
        assert f"and {more} smaller atom" in fresh.run("census", "--now", NOW).stdout
        out = fresh.run("census", "--now", NOW, "--all").stdout
        assert "smaller" not in out
        assert sum(bool(re.match(r"[01-]{2} .* to [01]\.", line)) for line in out.splitlines()) == len(found["atoms"])

    def test_rows_that_cannot_be_used_are_shown_with_their_reason(self, fresh):
        bad = "CASE WHEN score_lr < .3 THEN 'inf'::DOUBLE ELSE score_lr END"
        fresh.predict(f"SELECT * REPLACE ({bad} AS score_lr) FROM ({ROWS})")
        out = " ".join(fresh.run("census", "--now", NOW).stdout.split())
        assert "598 of 2,000 rows (29.9%) cannot be used: 598: the score of 'lr' in 'score_lr' is not" in out
        assert "[0, 1] (such as 'inf')" in out
        assert fresh.json("census", "--now", NOW)["censuses"][0]["items"] == 1402

    def test_each_reason_is_told_with_its_number_of_rows(self, fresh):
        fresh.predict(f"SELECT * REPLACE ({POISON}) FROM ({ROWS})")
        (found,) = fresh.json("census", "--now", NOW)["censuses"]
        assert [(fault["rows"], fault["reason"], fault["example"]) for fault in found["faults"]] == [
            (9, "the score of 'lr' in 'score_lr' is not a probability in [0, 1]", "7.5"),
            (5, "the time in 'at' is missing or unreadable", None),
            (3, "the item id in 'id' is missing", None),
        ]
        assert (found["bad_rows"], found["refusal"], len(found["bad"])) == (16, None, 16)
        lines = fresh.run("census", "--now", NOW).stdout.splitlines()
        assert "16 of 2,000 rows (0.80%) cannot be used:" in lines
        assert "  5: the time in 'at' is missing or unreadable" in lines
        assert "  Some rows have several of these faults." in lines

    def test_so_many_that_a_cycle_would_be_refused_are_told_and_the_atoms_shown_all_the_same(self, fresh):
        fresh.predict(f'SELECT * REPLACE (CASE WHEN i < 60 THEN NULL ELSE "at" END AS "at") FROM ({NUMBERED})')
        (found,) = fresh.json("census", "--now", NOW)["censuses"]
        assert found["refusal"].startswith("60 of 2,000 rows (3.00%) cannot be used, more than the 1.00%")
        out = " ".join(fresh.run("census", "--now", NOW).stdout.split())
        assert "A cycle on it would be refused: 60 of 2,000 rows (3.00%)" in out
        assert "count in each one, whatever their age" in out
        assert "Atoms: " in out

    def test_where_the_design_cuts_nothing_the_counts_are_shown_with_the_reason(self, fresh):
        options = '[panels.spam.options]\nparent = "rf"\n\n[panels.spam.source]'
        fresh.configure(("budget = 60", 'budget = 60\ndesign = "tripathi"'), ("[panels.spam.source]", options))
        fresh.predict(f"SELECT * REPLACE (score_rf / 10 AS score_rf) FROM ({ROWS})")
        out = " ".join(fresh.run("census", "--now", NOW).stdout.split())
        assert "What classifiers said" in out
        assert "A cycle on it would be refused: the parent 'rf' calls no item positive" in out
        (found,) = fresh.json("census", "--now", NOW)["censuses"]
        assert (found["items"], found["atoms"]) == (2000, [])
        assert found["refusal"].startswith("the parent 'rf' calls no item positive")

    @pytest.mark.parametrize("columns", [80, 40])
    def test_it_fits_the_terminal(self, fresh, columns):
        fresh.columns = columns
        lines = fresh.run("census", "--now", NOW).stdout.splitlines()
        assert max(len(line.rstrip()) for line in lines) <= columns

    def test_a_mistyped_panel_is_told_with_the_one_that_was_meant(self, fresh):
        err = fresh.run("census", "spm", code=2).stderr
        assert err == "stratawatch: there is no panel 'spm'; expected spam; did you mean 'spam'?\n"


class TestPicture:
    @pytest.mark.parametrize("name", ["atoms.svg", "atoms.png"])
    def test_it_is_written_where_it_was_asked_for(self, fresh, name):
        out = fresh.run("census", "--now", NOW, "--picture", str(fresh.folder / name)).stdout
        assert f"wrote {fresh.folder / name}" in out.replace("\n", "")
        assert (fresh.folder / name).stat().st_size > 5_000

    def test_another_kind_of_file_is_refused(self, fresh):
        err = fresh.run("census", "--now", NOW, "--picture", "atoms.gif", code=2).stderr
        assert "atoms.gif cannot be drawn; expected a name that ends in .svg or .png" in err

    def test_it_is_refused_before_anything_is_read(self, fresh):
        (fresh.folder / "predictions" / "week.parquet").unlink()
        err = fresh.run("census", "--now", NOW, "--picture", "atoms.pdf", code=2).stderr
        assert "atoms.pdf cannot be drawn" in err

    def test_an_empty_window_cannot_be_drawn(self, fresh):
        err = fresh.run("census", "--now", "2026-03-02T00:00:00+00:00", "--picture", "atoms.svg", code=2).stderr
        assert "there is nothing to draw" in err

    def test_one_panel_is_drawn_at_a_time(self, fresh):
        text = fresh.config.read_text()
        fresh.config.write_text(text + text[text.index("[panels.spam]") :].replace("panels.spam", "panels.ham"))
        err = fresh.run("census", "--now", NOW, "--picture", "atoms.svg", code=2).stderr
        assert "--picture draws one panel; expected one panel: spam, ham" in err
        assert len(fresh.json("census", "--now", NOW)["censuses"]) == 2
