"""Panels that draw each window anew: what stays may be drawn again and bets, and what has a label is known."""

from dataclasses import replace

import pytest

from stratawatch.core.goals import Limit
from stratawatch.core.random_numbers import digest
from stratawatch.engine.cycle.plan_preview import preview_plan
from stratawatch.engine.evidence.cost_of_new_numbers import LabelsNotReused, labels_not_reused, pages_text
from stratawatch.engine.evidence.first_use import drawn_labels
from stratawatch.engine.evidence.labelled_before import items_labelled_by, labels_of_before, with_further_items
from stratawatch.engine.evidence.panel_evidence import panel_evidence
from stratawatch.engine.labels.labelled_cycle import load_labelled_cycle
from tests.support.fakes import MONDAY, WEEK, spec
from tests.support.scenario import cycle_of, label_cycle, new_scenario, relabel

LIMIT = Limit("precision", floor=0.5, classifiers=("rf",))
PERMANENT = spec(budget=150, limits=(LIMIT,))
BY_WINDOW = replace(PERMANENT, random_numbers="by window")


def stay(scenario, period):
    """The next window has the items of the first one, every one of them."""
    scenario.source.windows[MONDAY + period * WEEK] = scenario.source.windows[MONDAY]
    scenario.clock.moment = MONDAY + (period + 1) * WEEK


def two_windows(scenario):
    """The scenario after two judged windows of the same items."""
    scenario.cycles = [label_cycle(scenario)]
    stay(scenario, 1)
    scenario.cycles.append(label_cycle(scenario))
    return scenario


@pytest.fixture(scope="module")
def stayed(tmp_path_factory):
    """Two judged windows of the same items, to look at."""
    scenario = two_windows(new_scenario(tmp_path_factory.mktemp("stayed") / "store.db", BY_WINDOW))
    yield scenario
    scenario.ports.store.dispose()


@pytest.fixture(scope="module")
def permanent(tmp_path_factory):
    """The same windows, drawn by permanent numbers."""
    scenario = two_windows(new_scenario(tmp_path_factory.mktemp("permanent") / "store.db", PERMANENT))
    yield scenario
    scenario.ports.store.dispose()


def draws_of(scenario):
    with scenario.ports.store.begin() as tx:
        return [tx.rounds.draws(cycle) for cycle in scenario.cycles]


def labelled_before(scenario, cycle):
    with scenario.ports.store.begin() as tx:
        return tx.cycles.labelled_before(cycle)


class TestTheDraw:
    def test_is_another_one_in_each_window_and_depends_on_nothing_else(self, stayed):
        panel = stayed.panel
        for cycle, draws in zip(stayed.cycles, draws_of(stayed), strict=True):
            seed = panel.seed_of(cycle_of(stayed, cycle).window)
            assert all(draw.digest == digest(seed, draw.item) for draw in draws)
        first, second = ({draw.item for draw in draws} for draws in draws_of(stayed))
        assert len(first & second) < len(second) / 2

    def test_asks_anew_about_items_that_stayed(self, stayed):
        first, second = draws_of(stayed)
        labelled = {draw.item for draw in first}
        assert [draw.reused for draw in second] == [draw.item in labelled for draw in second]
        assert sum(not draw.reused for draw in second) == sum(not draw.reused for draw in first) == 150

    def test_finds_every_labelled_item_of_the_window_whatever_its_number(self, stayed):
        assert labelled_before(stayed, stayed.cycles[0]) == ()
        found = labelled_before(stayed, stayed.cycles[1])
        assert {one.item for one in found} == {draw.item for draw in draws_of(stayed)[0]}
        assert all(one.payload == {} for one in found)
        with stayed.ports.store.begin() as tx:
            pool = {one.item: one for one in tx.cycles.candidates(stayed.cycles[1])}
        assert any(one.item not in pool for one in found)
        assert all(one.atom == pool[one.item].atom for one in found if one.item in pool)

    def test_of_permanent_numbers_looks_nothing_up(self, permanent):
        assert labelled_before(permanent, permanent.cycles[1]) == ()
        assert "items_by_id" not in [query for query, _ in permanent.source.calls]


class TestEvidence:
    def test_adds_up_though_every_item_stays(self, stayed):
        with stayed.ports.store.begin() as tx:
            assert [tx.evidence.rule_of(cycle).rule for cycle in stayed.cycles] == ["evidence"] * 2
            assert {row.cycle_id for row in tx.evidence.since_restarts("spam")} == {*stayed.cycles}
            (end,) = panel_evidence(tx, stayed.ports, stayed.panel).ends
        assert 0 < end.value < 20

    def test_rests_on_all_labels_but_those_of_before(self, stayed):
        before = {one.item for one in labelled_before(stayed, stayed.cycles[1])}
        for draw in draws_of(stayed)[1]:
            assert draw.first_use is draw.bets is (draw.item not in before)

    def test_knows_the_labels_of_before_in_every_round(self, stayed):
        cycle = cycle_of(stayed, stayed.cycles[1])
        with stayed.ports.store.begin() as tx:
            labelled = load_labelled_cycle(tx, stayed.panel, cycle.id)
            known = tx.cycles.labelled_before(cycle.id)
            labels = labels_of_before(tx, stayed.panel, cycle, known)
            rounds = drawn_labels(tx, stayed.panel, cycle, labelled)
        assert len(labels) == 150
        assert {one.verdict for one in labels} == {"yes", "no"}
        assert all(one.answered_before and not one.bets for one in labels)
        again = [one for drawn in rounds for one in drawn if one.answered_before]
        assert {one.item for one in again} <= {one.item for one in known}
        design = with_further_items(labelled.design, known)
        assert len({*design.candidates.items}) == len(design.candidates) > len(labelled.design.candidates)

    def test_begins_anew_where_the_numbers_change(self, make_scenario):
        scenario = make_scenario(PERMANENT)
        first = label_cycle(scenario)
        scenario.panel = replace(scenario.panel, random_numbers="by window")
        scenario.produce(1)
        scenario.clock.moment = MONDAY + 2 * WEEK
        second = label_cycle(scenario)
        assert cycle_of(scenario, second).panel_version > cycle_of(scenario, first).panel_version
        with scenario.ports.store.begin() as tx:
            (restart,) = tx.evidence.restarts("spam")
            assert (restart.key, restart.cycle_id) == (None, first)
            assert restart.why == "random numbers are by window, no longer permanent"
            assert {row.cycle_id for row in tx.evidence.since_restarts("spam")} == {second}

    def test_a_window_under_way_keeps_its_numbers(self, make_scenario):
        scenario = make_scenario(BY_WINDOW)
        cycle = label_cycle(scenario)
        stay(scenario, 1)
        scenario.panel = replace(scenario.panel, random_numbers="permanent")
        second = label_cycle(scenario)
        relabel(scenario, "no")
        with scenario.ports.store.begin() as tx:
            assert tx.panels.get(cycle_of(scenario, cycle).panel_version).random_numbers == "by window"
            assert {draw.digest for draw in tx.rounds.draws(second)} == {
                digest(scenario.panel.seed, draw.item) for draw in tx.rounds.draws(second)
            }
            rule = tx.evidence.rule_of(second)
        assert rule.rule == "window", "its items were there before, and now they keep their numbers"


class TestWhatItCosts:
    def test_is_the_labels_that_permanent_numbers_would_use_again(self, stayed):
        with stayed.ports.store.begin() as tx:
            before = tx.cycles.labelled_before(stayed.cycles[1])
            assert labels_not_reused(tx, stayed.panel, 0, ()) is None, "there is no window before the first"
            assert labels_not_reused(tx, stayed.panel, 1, before) == LabelsNotReused(150, 150)
            assert labels_not_reused(tx, stayed.panel, 1, before[:1]) == LabelsNotReused(150, 1)
            assert labels_not_reused(tx, PERMANENT, 1, before) is None
        previewed = preview_plan(stayed.ports, stayed.panel, cycle_of(stayed, stayed.cycles[1]).window, 1)
        assert previewed.not_reused == LabelsNotReused(150, 150)

    def test_is_told_where_windows_stand_alone_for_items_that_stay(self, stayed, permanent):
        with permanent.ports.store.begin() as tx:
            assert pages_text(tx, "another") == ""
            reused = sum(draw.reused for draw in tx.rounds.draws(permanent.cycles[1]))
            text = pages_text(tx, "spam")
        assert reused > 100
        assert text.startswith("by each window alone: 100% of what the limit of spam / rf / precision looks at")
        assert text.endswith(f"windows add up, and as many labels mean asking about {reused} items more")
        with stayed.ports.store.begin() as tx:
            assert pages_text(tx, "spam").startswith("by what all windows add up to")


class TestLabelledItems:
    def test_are_those_with_a_verdict_when_the_window_is_opened(self, stayed):
        with stayed.ports.store.begin() as tx:
            opened = [cycle_of(stayed, cycle).opened_at for cycle in stayed.cycles]
            assert items_labelled_by(tx, stayed.panel, opened[0]) == frozenset()
            drawn = {draw.item for draw in tx.rounds.draws(stayed.cycles[0])}
            assert items_labelled_by(tx, stayed.panel, opened[1]) == drawn
            valid = replace(stayed.panel, label_validity=WEEK / 7)
            assert items_labelled_by(tx, valid, opened[1]) == frozenset()
            assert items_labelled_by(tx, replace(stayed.panel, question="Is it very spam?"), opened[1]) == frozenset()

    def test_of_another_panel_with_the_same_question_are_other_items(self, stayed):
        opened = cycle_of(stayed, stayed.cycles[1]).opened_at
        with stayed.ports.store.begin() as tx:
            other = replace(stayed.panel, name="mail")
            assert items_labelled_by(tx, other, opened) == frozenset()
            assert len(items_labelled_by(tx, replace(other, same_items_as="spam"), opened)) == 150

    def test_are_read_as_they_are_now_and_one_without_a_decision_is_none(self, make_scenario):
        scenario = two_windows(make_scenario(BY_WINDOW))
        cycle, (known, _) = cycle_of(scenario, scenario.cycles[1]), draws_of(scenario)
        for word, verdict in (("no", "no"), ("skip", "unresolved")):
            relabel(scenario, word)
            with scenario.ports.store.begin() as tx:
                labels = labels_of_before(tx, scenario.panel, cycle, tx.cycles.labelled_before(cycle.id))
                labelled = items_labelled_by(tx, scenario.panel, scenario.clock.now())
            assert {one.verdict for one in labels} == {verdict}
            assert len(labels) == 150
            with scenario.ports.store.begin() as tx:  # what is erased keeps its answers
                tx.erasures.erase("spam", known[0].item, (), scenario.clock.now())
                tx.commit()
            assert ({draw.item for draw in known[1:]} <= labelled) is (word == "no")
        assert labelled == frozenset()
