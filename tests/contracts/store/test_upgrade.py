import json
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import create_engine, inspect, text

from stratawatch.adapters.store import migrate, open_store, schema_state
from stratawatch.adapters.store.json_codec import as_document
from stratawatch.adapters.store.panels import fingerprint
from stratawatch.adapters.store.schema import EXPECTED
from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.core.goals import Limit
from stratawatch.errors import SchemaMismatch
from tests.support.store.baselines import FIRST
from tests.support.store.examples import (
    COUNTRY,
    MONDAY,
    NOW,
    candidate,
    frozen,
    incident,
    notification,
    open_cycle,
    planned_round,
    spec,
)
from tests.support.store.old_schemas import FIRST_CYCLE, as_of_schema, fifth_schema, first_schema, sixth_schema
from tests.support.store.table_shapes import shape


class TestUpgrade:
    @pytest.fixture
    def first(self, empty_url):
        first_schema(empty_url)
        return empty_url

    def test_is_asked_for(self, first):
        assert schema_state(first) == "older"
        with pytest.raises(SchemaMismatch, match=rf"expected schema {EXPECTED}; got schema 0001.*init --upgrade"):
            open_store(first)

    def test_makes_every_atom_of_before_a_stratum_of_its_own(self, first):
        migrate(first)
        store = open_store(first)
        with store.begin() as tx:
            atoms, (item,) = tx.cycles.atoms(FIRST_CYCLE), tx.cycles.candidates(FIRST_CYCLE)
        store.dispose()
        assert [(atom.pattern, atom.size, atom.stratum) for atom in atoms] == [("0", 900, 0), ("1", 100, 1)]
        assert atoms[1].segments == {COUNTRY: 20}
        assert (item.item, item.atom) == ("a", 1)

    def test_purges_cycles_that_had_ended_once_more(self, first):
        engine = create_engine(first)
        with engine.begin() as sql:
            sql.execute(text("UPDATE cycles SET state = 'judged'"))
            move = "INSERT INTO transitions VALUES (1, 'cycle', 7, 'settled', 'judged', '', '2026-02-02 00:00:00')"
            sql.execute(text(move))
        engine.dispose()
        migrate(first)
        store = open_store(first)
        with store.begin() as tx:
            assert tx.retention.cycles_with_undrawn_payload(9) == (FIRST_CYCLE,)
            assert tx.retention.cycles_with_payload(NOW - timedelta(days=1), 9) == ()
            assert tx.retention.cycles_with_payload(NOW, 9) == (FIRST_CYCLE,)
        store.dispose()

    def test_ends_at_the_schema_of_a_new_store(self, first, other):
        migrate(first)
        migrate(other)
        assert shape(first) == shape(other)

    def test_installs_the_views(self, first):
        engine = create_engine(first)
        assert inspect(engine).get_view_names() == []
        migrate(first)
        assert "current_states" in inspect(engine).get_view_names()
        engine.dispose()


class TestNotifications:
    def test_keep_their_state_and_ids_and_may_be_superseded(self, empty_url, other):
        sixth_schema(empty_url)
        migrate(empty_url)
        migrate(other)
        assert shape(empty_url) == shape(other)
        store = open_store(empty_url)
        with store.begin() as tx:
            kept = tx.outbox.all()
            assert [(one.id, one.state, one.attempts, one.unconfirmed) for one in kept] == [
                (1, "pending", 3, False),
                (2, "sent", 3, False),
                (3, "failed", 3, False),
            ]
            tx.outbox.supersede(1, "over")
            tx.outbox.add(notification("d"))
            assert tx.outbox.all()[-1].id == 4
        store.dispose()


@pytest.fixture
def old_url(store_url, request, tmp_path):
    """Where an older store could be, on the same database."""
    sqlite = store_url.startswith("sqlite")
    return f"sqlite:///{tmp_path}/old.db" if sqlite else request.getfixturevalue("new_postgres")()


class TestFirstUse:
    @pytest.fixture
    def before(self, store_url, old_url):
        """The store as schema 0016 kept it, upgraded."""

        def upgraded():
            as_of_schema(store_url, old_url, "0016")
            migrate(old_url)
            return open_store(old_url)

        return upgraded

    def test_of_old_draws_is_told_from_earlier_windows_of_their_panel(self, store, before):
        with store.begin() as tx:
            first = planned_round(tx, 0, items=("a", "b"))
            tx.cycles.replace(first.cycle, "corrected")
            planned_round(tx, 0, items=("a", "c"))
            planned_round(tx, 2, items=("b", "d"))
            planned_round(tx, 1, items=("c", "d"))
            planned_round(tx, 1, panel="other", items=("a",))
            tx.commit()
        upgraded = before()
        with upgraded.begin() as tx:
            everywhere = [*tx.cycles.find(), *tx.cycles.find(replaced=True)]
            draws = {(one.panel, one.period): tx.rounds.draws(one.id) for one in everywhere}
        upgraded.dispose()
        assert {draw.bets for drawn in draws.values() for draw in drawn} == {None}
        found = {place: {draw.item: draw.first_use for draw in drawn} for place, drawn in draws.items()}
        assert found == {
            ("spam", -first.cycle): {"a": True, "b": True},
            ("spam", 0): {"a": True, "c": True},
            ("spam", 1): {"c": False, "d": True},
            ("spam", 2): {"b": False, "d": False},
            ("other", 1): {"a": True},
        }

    def test_and_bets_are_fixed_when_the_window_is_judged_after_the_upgrade(self, store, before):
        with store.begin() as tx:
            cycle = planned_round(tx, 1, items=("a",)).cycle
            tx.commit()
        upgraded = before()
        with upgraded.begin() as tx:
            planned_round(tx, 0, items=("a",))  # an earlier window that is opened after it
            (draw,) = tx.rounds.draws(cycle)
            assert (draw.first_use, draw.bets) == (True, None)
            tx.rounds.fix_bets(cycle, {draw.item_key: (False, False)})
            assert [(one.first_use, one.bets) for one in tx.rounds.draws(cycle)] == [(False, False)]
        upgraded.dispose()

    def test_incidents_and_baselines_of_before_are_as_they_were(self, store, before):
        with store.begin() as tx:
            cycle = open_cycle(tx)
            tx.alarms.open_incident(incident(cycle, AlarmState.BREACH))
            tx.baselines.add(FIRST)
            tx.commit()
            expected = tx.alarms.incidents()
        upgraded = before()
        with upgraded.begin() as tx:
            assert tx.alarms.incidents() == expected
            assert tx.baselines.of("spam") == (FIRST,)
            assert not tx.baselines.add(FIRST)
            assert tx.evidence.of_panel("spam") == tx.evidence.rules("spam") == tx.silences.all() == ()
        upgraded.dispose()


def frozen_with(tx, period, *items):
    """A cycle that was frozen with these candidates."""
    cycle = open_cycle(tx, period)
    tx.cycles.freeze(cycle, frozen(candidates=items), NOW)
    return cycle


class TestScoreBins:
    def test_of_windows_that_were_frozen_before_are_not_there(self, store, store_url, old_url):
        """All else of them stays, and what is frozen after the upgrade has its bins."""
        items = [candidate(name, digest=f"{place:032x}", score_bins={"lr": 120}) for place, name in enumerate("ab")]
        with store.begin() as tx:
            before = frozen_with(tx, 0, *items)
            tx.commit()
        as_of_schema(store_url, old_url, "0017")
        migrate(old_url)
        upgraded = open_store(old_url)
        with upgraded.begin() as tx:
            assert tx.cycles.candidates(before) == tuple(replace(one, score_bins=None) for one in items)
            assert tx.cycles.candidates(frozen_with(tx, 1, *items)) == tuple(items)
        upgraded.dispose()


FULL = {
    "stop_rule": "goals",
    "blind_margin_factor": 2.0,
    "false_pages_per_year": 0.5,
    "label_validity": timedelta(days=30),
    "max_bad_row_share": 0.02,
    "design": "kumar",
    "options": {"pseudo_labels": 0.5},
    "limits": (Limit("recall", floor=0.5, classifiers=("svm",), max_drop=0.1),),
}


class TestFieldsOfSpecifications:
    """Renamed with their fingerprints: else every upgraded panel would get a new version, or not be read at all."""

    def test_are_read_by_their_new_names_and_keep_their_version(self, empty_url):
        panels = [spec(), spec("ham", **FULL)]
        versions = fifth_schema(empty_url, *panels)
        migrate(empty_url)
        store = open_store(empty_url)
        with store.begin() as tx:
            assert [tx.panels.get(version) for version in versions] == panels
            assert tx.panels.latest() == {"ham": panels[1], "spam": panels[0]}
            assert [tx.panels.save(panel, MONDAY) for panel in panels] == versions
            assert tx.panels.save(spec("ham"), MONDAY) not in versions
        store.dispose()

    def test_an_option_keeps_both_versions_where_it_was_saved_again_under_its_new_name(self, empty_url):
        panel = spec(design="kumar", options={"pseudo_labels": 0.5})
        (old,) = fifth_schema(empty_url, panel)
        engine = create_engine(empty_url)
        document = as_document(panel)
        values = {"mark": fingerprint(document), "spec": json.dumps(document), "at": "2026-01-05 00:00:00"}
        with engine.begin() as sql:
            new = old + 1
            sql.execute(text(f"INSERT INTO panel_versions VALUES ({new}, 'spam', :mark, :spec, :at)"), values)
        engine.dispose()
        migrate(empty_url)
        store = open_store(empty_url)
        with store.begin() as tx:
            assert tx.panels.save(panel, MONDAY) == new
            assert tx.panels.get(old).options == {"doubt": 0.5}
        store.dispose()

    def test_that_came_later_change_no_version_of_a_panel_that_does_without(self, empty_url):
        (version,) = fifth_schema(empty_url, spec())
        migrate(empty_url)
        lr, svm = spec().classifiers
        gate = spec(classifiers=(lr, replace(svm, call_yes="it's blöck")))
        store = open_store(empty_url)
        with store.begin() as tx:
            assert tx.panels.save(spec(), MONDAY) == version
            other = tx.panels.save(gate, MONDAY)
            assert other != version
            assert [tx.panels.get(one) for one in (version, other)] == [spec(), gate]
        store.dispose()

    def test_that_have_the_new_names_already_stay(self, empty_url):
        fifth_schema(empty_url)
        engine = create_engine(empty_url)
        document = as_document(spec())
        values = {"mark": fingerprint(document), "spec": json.dumps(document), "at": "2026-01-05 00:00:00"}
        with engine.begin() as sql:
            sql.execute(text("INSERT INTO panel_versions VALUES (1, 'spam', :mark, :spec, :at)"), values)
        engine.dispose()
        migrate(empty_url)
        store = open_store(empty_url)
        with store.begin() as tx:
            assert tx.panels.save(spec(), MONDAY) == 1
        store.dispose()
