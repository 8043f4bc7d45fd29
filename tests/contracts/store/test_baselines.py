from datetime import timedelta

import pytest
from sqlalchemy import text

from stratawatch.adapters.store import migrate, open_store
from stratawatch.core.baselines.baseline_evidence import BaselineShare, TwoSampleBaseline
from stratawatch.engine.model.alarm_records import StreamKey
from stratawatch.engine.model.evidence_records import BaselineGrid
from stratawatch.errors import SchemaMismatch, StratawatchError
from tests.support.store.baselines import FIRST, other
from tests.support.store.examples import MONDAY, NOW, WEEK
from tests.support.store.old_schemas import FIRST_CYCLE, second_schema

DAY = timedelta(days=1)
BOTH = TwoSampleBaseline(
    "recall", BaselineShare(0.8, 100), BaselineShare(0.02, 400), called_size=1000, passed_size=9000
)

KEY_OF_FIRST = "048be88a803e5b915c98d030a39d1a926f0f3dc288af76746e60e56f910b0c37"
"""As programs of before schema 0017 gave it."""
GRID = BaselineGrid((0.7, 0.75, 0.8), (0.03, 0.06), ((0.25, -0.125, -3.0), (1e-300, 1.0, 2.0)))


class TestAdd:
    @pytest.mark.parametrize(
        "baseline",
        [
            FIRST,
            other(key=StreamKey("spam", "lr", "recall", "country=" + "é\0" * 2000), evidence=BOTH, seed=7),
            other(evidence=BaselineShare(1.0, 12), cut_off=None, call="flagged", valid_until=MONDAY + WEEK),
            other(evidence=BaselineShare(0.0, 3)),
            other(grid=GRID),
            other(grid=BaselineGrid((0.5,), (0.03,), ((float("-inf"),),))),
        ],
        ids=["share", "two sides", "all right", "all wrong", "grid", "nothing left of a bet"],
    )
    def test_keeps_everything_and_makes_the_same_intervals_at_any_confidence(self, store, baseline):
        with store.begin() as tx:
            assert tx.baselines.add(baseline)
            (found,) = tx.baselines.of("spam")
        assert found == baseline
        assert found.evidence.interval_at(0.9999) == baseline.evidence.interval_at(0.9999)

    def test_of_the_same_evidence_twice_is_one_row(self, store):
        with store.begin() as tx:
            assert tx.baselines.add(FIRST)
            assert not tx.baselines.add(other(measured_at=NOW + DAY, confidence=0.9))
            (found,) = tx.baselines.of("spam")
        assert found == FIRST

    def test_of_the_same_labels_with_a_grid_is_one_more_row(self, store):
        with store.begin() as tx:
            assert tx.baselines.add(FIRST)
            assert tx.baselines.add(other(grid=GRID, measured_at=NOW + DAY), after=FIRST)
            assert not tx.baselines.add(other(grid=GRID, measured_at=NOW + 2 * DAY), after=FIRST)
            assert tx.baselines.in_force("spam", MONDAY)[0].grid == GRID
        assert not FIRST.same_evidence(other(grid=GRID))

    def test_without_a_grid_keeps_the_key_that_rows_had_before_there_were_any(self, store):
        with store.begin() as tx:
            tx.baselines.add(FIRST)
            row = tx._sql.execute(text("SELECT row_key, log_b IS NULL AS without FROM baselines")).one()
        assert (row.row_key, row.without) == (KEY_OF_FIRST, True)

    def test_of_a_grid_that_lacks_a_number_is_refused(self):
        with pytest.raises(StratawatchError, match=r"expected 2 rows of 3; got rows of 3, 2"):
            BaselineGrid((0.7, 0.75, 0.8), (0.03, 0.06), ((0.0,) * 3, (0.0,) * 2))

    def test_of_the_same_evidence_after_another_is_one_more_row_and_only_one(self, store):
        second = other(evidence=BaselineShare(0.5, 40), measured_at=NOW + DAY)
        with store.begin() as tx:
            assert tx.baselines.add(FIRST)
            assert tx.baselines.add(second, after=FIRST)
            added = [tx.baselines.add(other(measured_at=NOW + days * DAY), after=second) for days in (2, 3)]
            assert added == [True, False]
            assert [one.measured_at for one in tx.baselines.of("spam")] == [NOW, NOW + DAY, NOW + 2 * DAY]
            assert tx.baselines.in_force("spam", MONDAY)[0].evidence == FIRST.evidence

    @pytest.mark.parametrize(
        "change",
        [
            {"evidence": BaselineShare(0.8125, 321.5)},
            {"evidence": BOTH},
            {"key": StreamKey("spam", "lr", "precision", "country=de")},
            {"call": "score_lr >= 0.6", "cut_off": 0.6},
            {"source": "file labels.csv, mended"},
            {"valid_from": MONDAY + WEEK},
            {"valid_until": MONDAY + WEEK},
        ],
        ids=lambda change: next(iter(change)),
    )
    def test_of_anything_else_is_another_row(self, store, change):
        with store.begin() as tx:
            assert tx.baselines.add(FIRST)
            assert tx.baselines.add(other(**change))
            assert len(tx.baselines.of("spam")) == 2

    def test_shows_its_interval_to_whoever_reads_the_table(self, store):
        with store.begin() as tx:
            tx.baselines.add(FIRST)
            row = tx._sql.execute(text("SELECT value, low, high, n_eff, confidence FROM baselines")).one()
        estimate = FIRST.estimate
        assert tuple(row) == (estimate.value, estimate.low, estimate.high, estimate.n_eff, 0.95)

    def test_of_a_kind_of_evidence_that_nobody_knows_is_told_when_read(self, store):
        with store.begin() as tx:
            tx.baselines.add(FIRST)
            tx._sql.execute(text("""UPDATE baselines SET evidence = '{"kind": "oracle"}'"""))
            with pytest.raises(StratawatchError, match="expected evidence of kind share or two_sides; got oracle"):
                tx.baselines.of("spam")


class TestInForce:
    def found(self, tx, at, panel="spam"):
        return tx.baselines.in_force(panel, at)

    def test_is_from_the_first_moment_until_before_the_last(self, store):
        dated = other(valid_until=MONDAY + WEEK)
        with store.begin() as tx:
            tx.baselines.add(dated)
            moments = [MONDAY - DAY, MONDAY, MONDAY + 6 * DAY, MONDAY + WEEK]
            there = [bool(self.found(tx, at)) for at in moments]
        assert there == [False, True, True, False]

    def test_is_the_newest_that_had_been_measured_by_a_moment(self, store):
        newer = other(evidence=BaselineShare(0.7, 50), measured_at=NOW + DAY)
        with store.begin() as tx:
            for one in (FIRST, newer):
                tx.baselines.add(one)
            by = {
                hours: tx.baselines.in_force("spam", MONDAY, NOW + timedelta(hours=hours)) for hours in (-1, 0, 23, 24)
            }
        assert by == {-1: (), 0: (FIRST,), 23: (FIRST,), 24: (newer,)}

    def test_is_the_newest_measured_of_those_that_are_dated_so(self, store):
        newer = other(evidence=BaselineShare(0.7, 50), measured_at=NOW + DAY)
        later = other(evidence=BaselineShare(0.6, 50), measured_at=NOW + 2 * DAY, valid_from=MONDAY + WEEK)
        with store.begin() as tx:
            for one in (newer, FIRST, later):
                tx.baselines.add(one)
            assert self.found(tx, MONDAY) == (newer,)
            assert self.found(tx, MONDAY + WEEK) == (later,)

    def test_is_one_for_every_stream_and_call(self, store):
        many = (
            FIRST,
            other(key=StreamKey("spam", "lr", "recall")),
            other(key=StreamKey("spam", "lr", "precision", "country=de")),
            other(key=StreamKey("spam", "svm", "precision")),
            other(call="score_lr >= 0.7", cut_off=0.7),
        )
        with store.begin() as tx:
            for one in (*many, other(key=StreamKey("fraud", "lr", "precision"))):
                tx.baselines.add(one)
            assert set(self.found(tx, MONDAY)) == set(many)
            assert len(self.found(tx, MONDAY, "fraud")) == 1


class TestChecks:
    @pytest.mark.parametrize("dates", [{"valid_until": MONDAY}, {"valid_until": MONDAY - DAY}])
    def test_stop_dates_that_hold_nothing(self, store, dates):
        from sqlalchemy.exc import IntegrityError

        with store.begin() as tx, pytest.raises(IntegrityError):
            tx.baselines.add(other(**dates))


class TestUpgrade:
    @pytest.fixture
    def second(self, empty_url):
        second_schema(empty_url)
        return empty_url

    def test_keeps_what_is_there_and_has_no_baseline_yet(self, second):
        migrate(second)
        migrate(second)
        store = open_store(second)
        with store.begin() as tx:
            spec, (cycle,) = tx.panels.latest()["spam"], tx.cycles.find()
            assert (cycle.id, len(tx.cycles.atoms(cycle.id))) == (FIRST_CYCLE, 2)
            assert [limit.max_drop for limit in spec.limits] == [None, None]
            assert tx.baselines.of("spam") == ()
            assert tx.baselines.add(FIRST)
            assert tx.baselines.in_force("spam", cycle.window.start) == (FIRST,)
        store.dispose()

    def test_is_asked_for(self, second):
        with pytest.raises(SchemaMismatch, match=r"got schema 0002.*init --upgrade"):
            open_store(second)
