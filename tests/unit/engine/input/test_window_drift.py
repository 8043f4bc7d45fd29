"""What counts as drift, what does not, and what each finding says."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from stratawatch.adapters.store.json_codec import as_document, from_document
from stratawatch.engine.input.window_drift import EarlierWindow, drift_refusal, find_drift, reaction_to
from stratawatch.engine.model.drift_rule import DriftRule
from stratawatch.engine.model.input_profile import InputProfile
from stratawatch.engine.model.panel_spec import ClassifierSpec, Columns, PanelSpec, Window, WindowRule

START = datetime(2026, 1, 5, tzinfo=UTC)
WEEK = timedelta(days=7)
COLUMN = {"nulls": 10, "invalid": 0, "positives": 60, "score_nulls": 10, "score_invalid": 0}


def spec(kind="probability", drift_rule=None, **changes):
    facts = {
        "name": "posts",
        "question": "Is it?",
        "guideline": "Look.",
        "seed": "s",
        "classifiers": (ClassifierSpec("lr", "p", kind, "flag"),),
        "columns": Columns("id", "ts"),
        "windows": WindowRule(START, WEEK),
        "goals": (),
        "limits": (),
        "budget": 100,
        "deadline": WEEK,
        "drift": drift_rule or DriftRule(),
    }
    return PanelSpec(**(facts | changes))


def profile(column=None, **changes):
    facts = {
        "rows": 1000,
        "bad_rows": 0,
        "null_items": 0,
        "first_time": START,
        "last_time": START + WEEK / 2,
        "columns": {"lr": COLUMN | (column or {})},
        "ranges": {"lr": (0.00123, 0.98765)},
        "kinds": {"id": "text", "p": "number"},
        "fingerprint": "now",
    }
    return InputProfile(**(facts | changes))


def before(period=0, panel=None, **changes):
    """An earlier window as the store keeps it."""
    usual = profile(ranges={"lr": (0.00321, 0.99)}, fingerprint="then")
    kept = replace(usual, **changes)
    start = START + period * WEEK
    stored = from_document(InputProfile, as_document(kept))
    return EarlierWindow(panel or spec(), Window(start, start + WEEK), stored)


def kinds(found):
    return [one.kind for one in found]


class TestNothing:
    def test_an_ordinary_window_has_no_drift(self):
        assert find_drift(spec(), profile(), [before(), before(1)]) == ()

    def test_a_first_window_has_nothing_to_drift_from(self):
        assert find_drift(spec(), profile(), []) == ()

    def test_an_empty_window_is_somebody_elses_business(self):
        assert find_drift(spec(), profile(rows=0), [before()]) == ()

    def test_profiles_of_older_programs_are_no_reason_to_stumble(self):
        stored = {"rows": 1000, "bad_rows": 0, "null_items": 0, "first_time": None, "last_time": None}
        old = from_document(InputProfile, stored | {"columns": {"lr": COLUMN}})
        bare = from_document(InputProfile, stored | {"rows": 0, "columns": {}})
        earlier = [EarlierWindow(spec(), Window(START, START + WEEK), one) for one in (bare, old)]
        assert find_drift(spec(), profile(), earlier) == ()


class TestVolume:
    @pytest.mark.parametrize(("rows", "found"), [(1799, 0), (1800, 1), (556, 0), (555, 1)])
    def test_drifts_by_the_factor_in_both_directions(self, rows, found):
        assert len(find_drift(spec(), profile(rows=rows), [before()])) == found

    def test_is_held_against_the_median_so_that_one_odd_window_counts_little(self):
        past = [before(0), before(1), before(2, rows=5000)]
        assert find_drift(spec(), profile(), past) == ()

    def test_says_the_numbers_and_what_to_ask(self):
        (found,) = find_drift(spec(), profile(rows=2000), [before(), before(1)])
        assert str(found) == (
            "the window has 2,000 rows, the 2 judged windows before (median) 1,000; "
            "was something loaded twice, or a filter lost?"
        )


class TestSilence:
    def test_a_classifier_that_vanished(self):
        (found,) = find_drift(
            spec(), profile({"nulls": 1000, "positives": 0, "score_nulls": 1000}, ranges={}), [before()]
        )
        assert found.kind == "silent"
        assert "classifier 'lr' made a call on 0% of the rows, before on 99.0%" in found.sentence

    def test_one_that_speaks_half_as_often(self):
        assert kinds(find_drift(spec(), profile({"nulls": 500}), [before()])) == ["silent"]

    def test_one_that_was_always_silent_is_nothing_new(self):
        silent = {"lr": COLUMN | {"nulls": 1000}}
        assert find_drift(spec(), profile({"nulls": 1000}), [before(columns=silent)]) == ()

    def test_a_new_classifier_has_no_past(self):
        panel = spec(classifiers=(ClassifierSpec("lr", "p", call="other"),))
        assert find_drift(panel, profile({"nulls": 900}), [before()]) == ()

    def test_another_value_that_means_yes_makes_a_new_classifier(self):
        panel = spec(classifiers=(replace(spec().classifiers[0], call_yes="block"),))
        assert find_drift(panel, profile({"nulls": 900}), [before()]) == ()
        assert kinds(find_drift(panel, profile({"nulls": 900}), [before(panel=panel)])) == ["silent"]

    @pytest.mark.parametrize("earlier", [[], [before()]], ids=["in the first window", "beside others with a past"])
    def test_a_new_one_that_never_speaks_needs_no_past(self, earlier):
        panel = spec(classifiers=(ClassifierSpec("lr", "p", call="other"),))
        (found,) = find_drift(panel, profile({"nulls": 1000, "positives": 0}), earlier)
        assert found.kind == "silent"
        assert str(found) == (
            "classifier 'lr' made no call on any of 1,000 rows; does it run, and is this the column of its calls?"
        )

    def test_a_handful_of_rows_tells_nothing(self):
        assert find_drift(spec(), profile({"nulls": 99, "positives": 0}, rows=99), []) == ()


class TestScale:
    @pytest.mark.parametrize(
        ("kind", "was", "now", "words"),
        [
            ("probability", (0.01, 0.99), (0.0001, 0.0099), "more than ten times smaller"),
            ("margin", (0.01, 0.99), (1.0, 99.0), "look like percentages now"),
            ("margin", (0.01, 0.99), (-4.6, 4.6), "look like logits or margins now"),
            ("margin", (-4.6, 4.6), (0.01, 0.99), "look like probabilities now"),
            ("margin", (-4.6, 4.6), (-460.0, 460.0), "more than ten times larger"),
        ],
    )
    def test_of_scores_changes(self, kind, was, now, words):
        past = [before(panel=spec(kind), ranges={"lr": was})]
        (found,) = find_drift(spec(kind), profile(ranges={"lr": now}), past)
        assert found.kind == "scale"
        assert words in found.sentence

    @pytest.mark.parametrize(("was", "now"), [((-4.6, 4.6), (-9.0, 12.0)), ((-4.6, 4.6), (-1.0, 0.9))])
    def test_of_margins_may_breathe(self, was, now):
        assert (
            find_drift(spec("margin"), profile(ranges={"lr": now}), [before(panel=spec("margin"), ranges={"lr": was})])
            == ()
        )

    def test_is_not_read_from_a_handful_of_scores(self):
        few = profile({"score_nulls": 950}, ranges={"lr": (0.001, 0.002)})
        assert find_drift(spec(), few, [before()]) == ()

    def test_of_another_kind_of_score_is_another_score(self):
        past = [before(panel=spec("margin"), ranges={"lr": (-300.0, 300.0)})]
        assert find_drift(spec(), profile(), past) == ()


class TestFrozen:
    def test_all_scores_alike_need_no_past(self):
        (found,) = find_drift(spec(), profile(ranges={"lr": (0.5, 0.5)}), [])
        assert str(found) == "all 990 scores of 'lr' are 0.5; does it still read its features?"

    def test_the_scores_of_an_earlier_window(self):
        (found,) = find_drift(spec(), profile(), [before(0, ranges={"lr": (0.00123, 0.98765)}), before(1)])
        assert found.kind == "frozen"
        assert "those of the window 2026-01-05 to 2026-01-12" in found.sentence

    def test_round_extremes_repeat_by_chance(self):
        same = {"lr": (0.0, 1.0)}
        assert find_drift(spec(), profile(ranges=same), [before(ranges=same)]) == ()


class TestReplay:
    def test_an_earlier_window_delivered_again_is_refused(self):
        found = find_drift(spec(), profile(fingerprint="then"), [before()])
        assert kinds(found) == ["replay"]
        accept = 'set replay = "warn" in [panels.posts.drift] and reopen the cycle'
        assert drift_refusal(spec(), found).endswith(accept)

    def test_windows_without_a_fingerprint_are_not_compared(self):
        assert find_drift(spec(), profile(fingerprint=""), [before(fingerprint="")]) == ()


class TestTypes:
    def test_a_retyped_column(self):
        (found,) = find_drift(spec(), profile(kinds={"id": "number", "p": "number"}), [before()])
        assert "column 'id' holds numbers, before text" in found.sentence

    def test_a_column_that_was_not_read_before_is_no_drift(self):
        assert find_drift(spec(), profile(kinds={"id": "text", "p": "number", "lang": "text"}), [before()]) == ()


class TestTimes:
    def test_rows_that_came_too_late_are_told(self):
        (found,) = find_drift(spec(), profile(missed=12), [before()])
        assert "12 rows of the window before came after it was read and are counted in none" in found.sentence
        assert "raise lateness in" in found.remedy

    @pytest.mark.parametrize(("early", "found"), [(None, []), (10, []), (11, ["clock"])])
    def test_a_wrong_clock_shows_in_more_than_a_few_rows(self, early, found):
        assert kinds(find_drift(spec(), profile(early=early), [before()])) == found


class TestReactions:
    def test_what_is_ignored_is_not_found(self):
        assert find_drift(spec(drift_rule=DriftRule(volume="ignore")), profile(rows=9000), [before()]) == ()

    def test_what_warns_refuses_nothing(self):
        found = find_drift(spec(), profile(rows=9000), [before()])
        assert [reaction_to(spec(), one) for one in found] == ["warn"]
        assert drift_refusal(spec(), found) == ""

    def test_what_refuses_says_how_to_accept_it(self):
        strict = spec(drift_rule=DriftRule(volume="refuse"))
        assert 'set volume = "warn" in [panels.posts.drift]' in drift_refusal(
            strict, find_drift(strict, profile(rows=9000), [before()])
        )
