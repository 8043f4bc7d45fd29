"""What every prediction source promises, run on every kind in the registry and every format it reads."""

import inspect
import sys
from datetime import timedelta
from hashlib import md5
from typing import Any, get_type_hints

import pytest

from stratawatch.adapters.sources import REGISTRY, SourceSettings
from stratawatch.adapters.sources.statements import BAD_ROWS_SHOWN
from stratawatch.core.population import NO_BIN, Atom
from stratawatch.core.random_numbers import digest
from stratawatch.core.score_bins import bin_of
from stratawatch.engine.model.panel_spec import AuxiliarySpec, ClassifierSpec, Columns, Window
from stratawatch.engine.ports import PredictionSource
from stratawatch.errors import ConfigError, InputRefused, StratawatchError
from tests.support.predictions.backends import BACKENDS, NAIVE, items, whole
from tests.support.predictions.panels import ONE, START, WINDOW, panel


class TestReading:
    def test_one_look_counts_draws_and_counts_another_window(self, made: Any) -> None:
        source = made(items(*(f"i{k}" for k in range(40))))
        before = Window(START - timedelta(days=7), START)
        with source.reading(panel(), before) as reading:
            assert (reading.census().census.size, reading.rows(WINDOW)) == (0, 40)
        with source.reading(panel(), WINDOW) as reading:
            assert (reading.rows(before), reading.census().census.size) == (0, 40)
            drawn = reading.candidates(whole("0", 40), [7])
            assert (reading.rows(WINDOW), reading.candidates(whole("0", 40), [7])) == (40, drawn)
        assert drawn == source.candidates(panel(), WINDOW, whole("0", 40), [7])


class TestRegistry:
    def test_every_kind_is_held_to_these_tests_or_has_a_cluster_of_its_own(self) -> None:
        assert {*BACKENDS, "spark"} == set(REGISTRY)

    def test_every_kind_is_a_prediction_source(self) -> None:
        for kind in REGISTRY:
            build = SourceSettings.of_kind(kind).build
            built = get_type_hints(build, vars(sys.modules[build.__module__]))["return"]
            for method in ("reading", "describe"):
                ours = list(inspect.signature(getattr(built, method)).parameters)
                assert ours == list(inspect.signature(getattr(PredictionSource, method)).parameters)


class TestWindow:
    def test_it_is_half_open(self, made: Any) -> None:
        table = items("before", "first", "last", "after")
        moments = [-timedelta(microseconds=1), timedelta(0), timedelta(days=7, microseconds=-1), timedelta(days=7)]
        source = made({**table, "ts": ("TIMESTAMP", [NAIVE + one for one in moments])})
        assert source.census(panel(), WINDOW).census.size == 2
        assert {one.item for one in source.candidates(panel(), WINDOW, whole("0", 2), [2])} == {"first", "last"}

    def test_consecutive_windows_share_no_row_and_lose_none(self, made: Any) -> None:
        source = made({**items(*"abcdefg"), "ts": ("TIMESTAMP", [NAIVE + timedelta(days=i) for i in range(7)])})
        days = [Window(START + timedelta(days=i), START + timedelta(days=i + 1)) for i in range(7)]
        assert [source.census(panel(), day).census.size for day in days] == [1] * 7

    def test_times_with_an_offset_are_compared_in_utc(self, made: Any) -> None:
        table = {**items("in", "out"), "ts": ("VARCHAR", ["2026-01-04 23:30:00-01:00", "2026-01-05 00:30:00+01:00"])}
        source = made(table)
        assert [one.item for one in source.candidates(panel(), WINDOW, whole("0", 1), [1])] == ["in"]

    def test_an_empty_window_counts_nothing(self, made: Any) -> None:
        answer = made(items("a")).census(panel(), Window(START - timedelta(days=7), START))
        assert (answer.census.size, answer.census.patterns, answer.profile.rows) == (0, (), 0)
        assert (answer.profile.first_time, answer.profile.last_time) == (None, None)

    def test_a_row_without_time_is_bad_in_every_window(self, made: Any) -> None:
        answer = made(items("a", "b", at=None)).census(panel(), WINDOW)
        assert (answer.profile.rows, answer.profile.bad_rows, answer.census.size) == (2, 2, 0)
        assert "the time in 'ts' is missing" in answer.bad_rows[0].reason


class TestCalls:
    @pytest.mark.parametrize(
        ("given", "letter"),
        [
            ("1", "1"),
            ("0", "0"),
            ("true", "1"),
            ("FALSE", "0"),
            ("True", "1"),
            ("1.0", "1"),
            ("0.0", "0"),
            (" Yes", "1"),
            ("NO", "0"),
            (None, "-"),
            ("NaN", "-"),
            (" nan", "-"),
        ],
    )
    def test_what_counts_as_a_call(self, made: Any, given: str | None, letter: str) -> None:
        answer = made(items("a", flag=given)).census(panel(), WINDOW)
        assert (answer.census.patterns, answer.profile.bad_rows) == ((letter,), 0)

    @pytest.mark.parametrize("given", ["2", "-1", "0.5", "spam", "inf"])
    def test_anything_else_is_a_bad_row_with_its_reason(self, made: Any, given: str) -> None:
        answer = made(items("a", flag=given)).census(panel(), WINDOW)
        assert (answer.census.size, answer.profile.bad_rows, answer.profile.columns["lr"]["invalid"]) == (0, 1, 1)
        (bad,) = answer.bad_rows
        assert (bad.key, bad.kind) == ("a", "prediction")
        assert bad.reason == "the call of 'lr' in 'flag' is neither yes nor no, true nor false, 1 nor 0"
        assert bad.content["columns"]["flag"] == given

    @pytest.mark.parametrize("kind", ["DOUBLE", "FLOAT"])
    def test_nan_and_null_in_a_column_of_numbers_are_no_call(self, made: Any, kind: str) -> None:
        table = {**items(*"abcd"), "flag": (kind, [1.0, float("nan"), None, 0.0])}
        source = made(table)
        answer = source.census(panel(), WINDOW)
        assert (answer.census.patterns, answer.profile.bad_rows) == (("-", "0", "1"), 0)
        column = answer.profile.columns["lr"]
        assert (column["nulls"], column["invalid"], column["positives"]) == (2, 0, 1)
        silent = source.candidates(panel(), WINDOW, whole("-", 2), [2])
        assert {one.item for one in silent} == {"b", "c"}

    @pytest.mark.parametrize("flag", ["0", "1"])
    def test_all_calls_alike_is_a_normal_day(self, made: Any, flag: str) -> None:
        answer = made(items(*"abcdef", flag=flag)).census(panel(), WINDOW)
        assert (set(answer.census.patterns), answer.census.size, answer.profile.bad_rows) == ({flag}, 6, 0)

    def test_a_cut_off_includes_its_own_score(self, made: Any) -> None:
        source = made({**items("below", "at"), "score": ("DOUBLE", [0.2999999999999999, 0.3])})
        census = source.census(panel((ClassifierSpec("lr", "score", cut_off=0.3),)), WINDOW).census
        assert census.patterns == ("0", "1")

    def test_a_classifier_without_call_and_cut_off_is_refused(self, made: Any) -> None:
        with pytest.raises(ConfigError, match="classifier 'lr' makes no call"):
            made(items("a")).census(panel((ClassifierSpec("lr", "score"),)), WINDOW)


class TestScores:
    @pytest.mark.parametrize("score", [float("inf"), float("-inf"), -1e-9, 1.0000001])
    def test_no_probability_is_a_bad_row(self, made: Any, score: float) -> None:
        answer = made(items("a", score=score)).census(panel(), WINDOW)
        assert (answer.census.size, answer.profile.columns["lr"]["score_invalid"]) == (0, 1)
        assert answer.bad_rows[0].reason == "the score of 'lr' in 'score' is not a probability in [0, 1]"

    @pytest.mark.parametrize(
        ("score", "bad"), [(float("inf"), 1), (float("-inf"), 1), (-1e300, 0), (1e300, 0), (40.0, 0)]
    )
    def test_a_margin_must_be_finite(self, made: Any, score: float, bad: int) -> None:
        margin = panel((ClassifierSpec("svm", "score", "margin", cut_off=0.0),))
        answer = made(items("a", score=score)).census(margin, WINDOW)
        assert (answer.profile.bad_rows, answer.census.size) == (bad, 1 - bad)
        if not bad:
            assert list(answer.census.bins) == [1023 if score > 0 else 0]

    @pytest.mark.parametrize("missing", [None, float("nan")])
    def test_a_missing_one_is_no_fault_and_the_others_make_the_mean(self, made: Any, missing: float | None) -> None:
        many = (ClassifierSpec("a", "score", call="flag"), ClassifierSpec("b", "other", call="flag"))
        source = made({**items("x", score=missing), "other": ("DOUBLE", [0.5])})
        answer = source.census(panel(many), WINDOW)
        assert (list(answer.census.bins), answer.profile.columns["a"]["score_nulls"]) == ([512], 1)
        assert answer.profile.bad_rows == 0

    @pytest.mark.parametrize("missing", [None, float("nan")])
    def test_a_missing_one_makes_no_call_by_a_cut_off(self, made: Any, missing: float | None) -> None:
        margin = panel((ClassifierSpec("svm", "score", "margin", cut_off=0.0),))
        answer = made({**items("x", "y"), "score": ("DOUBLE", [missing, 3.0])}).census(margin, WINDOW)
        assert answer.census.patterns == ("-", "1")
        assert answer.profile.ranges == {"svm": (3.0, 3.0)}

    def test_without_any_score_an_item_has_no_bin(self, made: Any) -> None:
        assert list(made(items("x", score=None)).census(panel(), WINDOW).census.bins) == [NO_BIN]
        silent = panel((ClassifierSpec("rules", call="flag"),))
        assert list(made(items("x")).census(silent, WINDOW).census.bins) == [NO_BIN]


class TestAuxiliaryScores:
    HELPED = panel(auxiliary=(AuxiliarySpec("judge", "judge"),))

    @pytest.mark.parametrize(
        ("judge", "letter"), [(0.75, "1"), (0.5, "1"), (0.25, "0"), (None, "-"), (float("nan"), "-"), (7.0, "-")]
    )
    def test_it_adds_a_letter_and_nothing_to_the_mean(self, made: Any, judge: float | None, letter: str) -> None:
        """Beside a classifier's score of .25; what cannot be read says nothing, and its row stays good."""
        answer = made({**items("a"), "judge": ("DOUBLE", [judge])}).census(self.HELPED, WINDOW)
        assert (answer.census.patterns, list(answer.census.bins)) == (("0" + letter,), [bin_of(0.25)])
        assert (answer.profile.bad_rows, answer.census.classifiers, answer.census.auxiliary) == (0, ("lr",), ("judge",))

    @pytest.mark.parametrize("silent", [ONE, (ClassifierSpec("rules", call="flag"),)], ids=["null", "no column"])
    def test_where_no_classifier_has_a_score_the_helpers_make_the_mean(self, made, silent):
        helpers = (AuxiliarySpec("judge", "judge"), AuxiliarySpec("old", "old", "margin"))
        rows = {
            **items("x", "y", "z", score=None),
            "judge": ("DOUBLE", [0.25, None, None]),
            "old": ("DOUBLE", [0.0, 0.0, None]),
        }
        census = made(rows).census(panel(silent, auxiliary=helpers), WINDOW).census
        cells = list(zip(census.patterns, census.bins.tolist(), strict=True))
        assert cells == [("0--", NO_BIN), ("0-1", bin_of(0.5)), ("001", bin_of(0.375))]

    def test_a_margin_leans_to_yes_from_zero_on(self, made: Any) -> None:
        spec = panel(auxiliary=(AuxiliarySpec("judge", "judge", "margin"),))
        source = made({**items(*"abc"), "judge": ("DOUBLE", [-3.0, 0.0, 3.0])})
        found = source.candidates(spec, WINDOW, [Atom(p, NO_BIN, 1023, 1, None) for p in ("00", "01")], [3])
        assert {one.item: one.pattern for one in found} == {"a": "00", "b": "01", "c": "01"}

    def test_it_is_not_in_the_profile_of_the_classifiers(self, made: Any) -> None:
        answer = made({**items("a"), "judge": ("DOUBLE", [7.0])}).census(self.HELPED, WINDOW)
        assert set(answer.profile.columns) == {"lr"}

    def test_a_missing_column_is_named(self, made: Any) -> None:
        with pytest.raises(InputRefused, match=r"column 'judge' \(the auxiliary score 'judge' of panel 'posts'\)"):
            made(items("a")).census(self.HELPED, WINDOW)


class TestItems:
    ODD = (
        "it's",
        'a"b',
        "two\nlines",
        "\r\n",
        "emoji 🙂",
        "x" * 10_000,
        "case",
        "CASE",
        "blank",
        "blank ",
        " blank",
        "a,b;c\td",
        "''",
    )

    def test_odd_ids_come_back_as_they_are(self, made: Any) -> None:
        size = len(self.ODD)
        found = made(items(*self.ODD)).candidates(panel(), WINDOW, whole("0", size), [size])
        assert sorted(one.item for one in found) == sorted(self.ODD)
        assert {one.copies for one in found} == {1}

    def test_one_item_is_enough(self, made: Any) -> None:
        source = made(items("only"))
        assert source.census(panel(), WINDOW).census.size == 1
        assert [one.item for one in source.candidates(panel(), WINDOW, whole("0", 1), [1])] == ["only"]

    def test_a_missing_id_is_a_bad_row(self, made: Any) -> None:
        answer = made(items("a", None)).census(panel(), WINDOW)
        assert (answer.profile.null_items, answer.profile.bad_rows, answer.census.size) == (1, 1, 1)
        assert answer.bad_rows[0].reason == "the item id in 'id' is missing"

    def test_of_many_bad_rows_every_engine_shows_those_whose_ids_hash_lowest(self, made: Any) -> None:
        ids = [None, *(f"b{i}" for i in range(60)), None]
        shown = made(items(*ids, score=1.5)).census(panel(), WINDOW).bad_rows
        expected = sorted(filter(None, ids), key=lambda one: md5(one.encode(), usedforsecurity=False).hexdigest())
        assert [one.key for one in shown] == expected[:BAD_ROWS_SHOWN]
        assert {one.unreadable["score of lr"] for one in shown} == {"1.5"}

    def test_copies_count_every_row_of_the_window_with_the_id(self, made: Any) -> None:
        table = items("twice", "once", "twice", "thrice", "thrice", "thrice")
        source = made({**table, "flag": ("VARCHAR", ["0", "0", "1", "0", "0", "2"])})
        found = source.candidates(panel(), WINDOW, whole("0", 4), [4])
        assert sorted((one.item, one.copies) for one in found) == [
            ("once", 1),
            ("thrice", 3),
            ("thrice", 3),
            ("twice", 2),
        ]

    def test_one_id_for_all_rows_still_gives_the_number_asked_for(self, made: Any) -> None:
        """No greatest digest finds them, so the last attempt ranks everything."""
        found = made(items(*["same"] * 400)).candidates(panel(), WINDOW, whole("0", 400), [30])
        assert [(one.item, one.copies) for one in found] == [("same", 400)] * 30


class TestCandidates:
    def test_a_larger_wish_only_adds_items(self, made: Any) -> None:
        source = made(items(*(f"i{k}" for k in range(300))))
        few = source.candidates(panel(), WINDOW, whole("0", 300), [10])
        many = source.candidates(panel(), WINDOW, whole("0", 300), [100])
        assert many[:10] == few
        assert [one.digest for one in many] == sorted(one.digest for one in many)

    def test_asking_again_gives_the_same(self, made: Any) -> None:
        source = made(items(*(f"i{k}" for k in range(300))))
        first = source.candidates(panel(), WINDOW, whole("0", 300), [20])
        assert all(source.candidates(panel(), WINDOW, whole("0", 300), [20]) == first for _ in range(3))

    def test_another_seed_draws_others(self, made: Any) -> None:
        source = made(items(*(f"i{k}" for k in range(300))))
        drawn = [source.candidates(panel(seed=seed), WINDOW, whole("0", 300), [20]) for seed in ("a", "b")]
        assert {one.item for one in drawn[0]} != {one.item for one in drawn[1]}

    def test_a_quota_of_nothing_returns_nothing(self, made: Any) -> None:
        assert made(items("a")).candidates(panel(), WINDOW, whole("0", 1), [0]) == ()

    def test_a_stratum_of_several_patterns_is_drawn_as_one(self, made: Any) -> None:
        size = 300
        table = items(*(f"i{k}" for k in range(size)))
        source = made({**table, "flag": ("VARCHAR", [str(k % 3 == 0) for k in range(size)])})
        atoms = [Atom("0", NO_BIN, 1023, 200, None, stratum=0), Atom("1", NO_BIN, 1023, 100, None, stratum=0)]
        found = source.candidates(panel(), WINDOW, atoms, [40])
        smallest = sorted((digest(panel().seed, f"i{k}"), f"i{k}", int(k % 3 == 0)) for k in range(size))[:40]
        assert [(one.digest, one.item, one.atom) for one in found] == smallest
        assert {one.atom for one in found} == {0, 1}

    def test_strata_stay_apart_whatever_the_order_of_their_atoms(self, made: Any) -> None:
        size = 300
        table = items(*(f"i{k}" for k in range(size)))
        source = made({**table, "flag": ("VARCHAR", [str(k % 3 == 0) for k in range(size)])})
        atoms = [Atom("0", NO_BIN, 1023, 200, None, stratum=1), Atom("1", NO_BIN, 1023, 100, None, stratum=0)]
        found = source.candidates(panel(), WINDOW, atoms, [30, 0])
        assert {(one.atom, one.pattern) for one in found} == {(1, "1")}
        assert len(found) == 30
        assert [one.atom for one in source.candidates(panel(), WINDOW, atoms, [30, 20])] == [1] * 30 + [0] * 20

    def test_payload_segments_and_cluster_come_along(self, made: Any) -> None:
        spec = panel(columns=Columns("id", "ts", ("body", "id"), ("lang",), "author"))
        table = {
            **items("a"),
            "body": ("VARCHAR", ["hi, 'you'"]),
            "lang": ("VARCHAR", [None]),
            "author": ("VARCHAR", ["me"]),
        }
        (one,) = made(table).candidates(spec, WINDOW, whole("0", 1), [1])
        assert one.payload == {"body": "hi, 'you'", "id": "a"}
        assert (one.segments, one.cluster, one.time, one.pattern) == ({"lang": None}, "me", START, "0")

    def test_own_score_bins_come_along_for_scores_that_are_there(self, made: Any) -> None:
        """Bins of .25 and of the logistic function of 0, which is a half; the third score is null."""
        many = (
            ClassifierSpec("a", "score", call="flag"),
            ClassifierSpec("rules", call="flag"),
            ClassifierSpec("b", "margin", "margin", cut_off=1.0),
            ClassifierSpec("c", "other", call="flag"),
        )
        table = {**items("x", score=0.25), "margin": ("DOUBLE", [0.0]), "other": ("DOUBLE", [None])}
        source = made(table)
        census = source.census(panel(many), WINDOW).census
        atom = Atom(census.patterns[0], int(census.bins[0]), int(census.bins[0]), 1, None)
        (one,) = source.candidates(panel(many), WINDOW, [atom], [1])
        assert one.score_bins == {"a": 120, "b": 128}


class TestColumns:
    def test_a_missing_column_is_named_with_what_there_is_and_a_guess(self, made: Any) -> None:
        spec = panel((ClassifierSpec("lr", "scroe", call="flag"),))
        with pytest.raises(InputRefused) as caught:
            made(items("a")).census(spec, WINDOW)
        assert str(caught.value) == (
            "column 'scroe' (the score of classifier 'lr' of panel 'posts') is missing in the source; "
            "got the columns 'id', 'ts', 'score', 'flag'; did you mean 'score'?"
        )

    @pytest.mark.parametrize("method", ["census", "candidates"])
    def test_every_question_refuses_a_missing_column(self, made: Any, method: str) -> None:
        arguments = {"census": (WINDOW,), "candidates": (WINDOW, whole("0", 1), [1])}[method]
        with pytest.raises(InputRefused, match="column 'nope'"):
            getattr(made(items("a")), method)(panel(columns=Columns("nope", "ts")), *arguments)

    def test_a_description_has_every_column_that_cannot_be_read(self, made: Any) -> None:
        spec = panel((ClassifierSpec("lr", "scroe", call="flag"),), columns=Columns("nope", "ts"))
        description = made(items("a")).describe(spec)
        assert [one.column.column for one in description.problems] == ["nope", "scroe"]
        assert (description.facts["rows"], "2026-01-05" in description.facts["times"]) == ("1", True)
        without_time = made(items("a")).describe(panel(columns=Columns("id", "nope")))
        assert [one.column.role for one in without_time.problems] == ["time"]
        assert (without_time.facts["rows"], "times" in without_time.facts) == ("1", False)

    def test_a_name_that_is_an_attack_is_only_a_name(self, made: Any) -> None:
        evil = 'a"; DROP TABLE quotas; --'
        table = {
            "id": ("VARCHAR", ["x"]),
            "ts": ("TIMESTAMP", [NAIVE]),
            evil: ("DOUBLE", [0.25]),
            "flag": ("VARCHAR", ["0"]),
        }
        spec = panel((ClassifierSpec("lr", evil, call="flag"),), seed="'; DROP TABLE quotas; --")
        source = made(table)
        assert list(source.census(spec, WINDOW).census.bins) == [480]
        assert len(source.candidates(spec, WINDOW, whole("0", 1), [1])) == 1

    def test_a_segment_with_too_many_values_is_refused(self, made: Any) -> None:
        table = items(*(f"i{k}" for k in range(1001)))
        with pytest.raises(InputRefused, match="segment column 'id' has too many values"):
            made(table).census(panel(columns=Columns("id", "ts", segments=("id",))), WINDOW)

    def test_describe_says_what_was_found(self, made: Any) -> None:
        description = made(items("a", "b")).describe(panel())
        found = description.facts
        assert description.problems == ()
        assert found["rows"] == "2"
        assert found["times"].startswith("2026-01-05")
        assert "score" in found["columns"]

    def test_every_refusal_is_one_sentence(self, made: Any) -> None:
        for columns in (Columns("nope", "ts"), Columns("id", "no\npe"), Columns("id", "ts", payload=("no\npe",))):
            with pytest.raises(StratawatchError) as caught:
                made(items("a")).census(panel(ONE, columns=columns), WINDOW)
            assert "\n" not in str(caught.value)
