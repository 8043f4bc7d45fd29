"""A panel whose ids name the items of another panel: what was labelled there is not asked again."""

from dataclasses import replace

import pytest

from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.cycle.open_cycles import open_cycles
from stratawatch.engine.labels.erase_item import erase_item
from stratawatch.engine.labels.import_labels import HandLabel, import_labels
from stratawatch.engine.model.idempotency_keys import item_key, question_wording
from stratawatch.engine.model.states import CycleState
from tests.support.fakes import MONDAY, WEEK, spec
from tests.support.scenario import Scenario
from tests.support.stores import empty_store

SPAM = spec(name="spam", seed="one", budget=300)


@pytest.fixture
def here(tmp_path):
    """A store in a file, where the database makes no difference."""
    found = empty_store(tmp_path / "store.db")
    yield found
    found.dispose()


def second(**changes):
    return spec(**{"name": "spam-eu", "seed": "one", "budget": 300, "same_items_as": "spam", **changes})


def played(store, other, *weeks, after=True) -> Scenario:
    """Both panels over the same rows; the second is opened when the first one is judged, or beside it."""
    made = Scenario.around(store, SPAM)
    panels = {"spam": SPAM, other.name: other}
    made.ports = replace(made.ports, sources=dict.fromkeys(panels, made.source), configured=panels)
    for week in weeks:
        made.produce(week, size=1500)
        for row in made.source.windows[MONDAY + week * WEEK]:
            for panel in panels.values():
                question = question_wording(panel.question, panel.guideline, None)
                made.queue.truth[item_key(panel.items_of, row.item, question)] = row.truth
        made.clock.moment = MONDAY + (week + 1) * WEEK
        for group in [{"spam": SPAM}, {other.name: other}] if after else [panels]:
            open_cycles(made.ports, group)
            work(made)
    return made


def work(made, hours=4):
    for _ in range(hours):
        made.clock.advance(hours=1)
        assert advance(made.ports).troubles == ()
        made.queue.answer(made.clock.now())


def cycles(made, panel):
    with made.ports.store.begin() as tx:
        return tx.cycles.find(panel=panel)


def draws(made, panel):
    with made.ports.store.begin() as tx:
        return [draw for cycle in tx.cycles.find(panel=panel) for draw in tx.rounds.draws(cycle.id)]


def share_reused(made, panel):
    found = draws(made, panel)
    return sum(draw.reused for draw in found) / len(found)


def estimates(made, panel):
    with made.ports.store.begin() as tx:
        (cycle,) = tx.cycles.find(panel=panel)
        revision = tx.estimates.latest(cycle.id)
    return revision.number, str(revision.estimates)


def test_a_panel_that_asks_the_same_asks_about_nothing_again(store):
    made = played(store, second(), 0)
    assert [cycle.state for cycle in cycles(made, "spam-eu")] == [CycleState.JUDGED]
    mine, theirs = {d.item for d in draws(made, "spam")}, {d.item for d in draws(made, "spam-eu")}
    assert share_reused(made, "spam") == 0
    assert mine <= theirs  # the same seed draws the same items first, and free ones leave labels for more
    assert sum(not d.reused for d in draws(made, "spam-eu")) <= 300
    assert {d.item for d in draws(made, "spam-eu") if d.reused} == mine


@pytest.mark.parametrize(
    "changes",
    [{"same_items_as": None}, {"question": "Is it a scam?"}, {"guideline": "Another one."}],
    ids=["other items", "another question", "another guideline"],
)
def test_others_ask_themselves(here, changes):
    made = played(here, second(**changes), 0)
    assert share_reused(made, "spam-eu") == 0
    assert {d.item_key for d in draws(made, "spam")}.isdisjoint(d.item_key for d in draws(made, "spam-eu"))


def test_of_two_that_are_open_at_once_an_answer_counts_in_both(here):
    made = played(here, second(), 0, after=False)
    both = {d.item_key for d in draws(made, "spam")} & {d.item_key for d in draws(made, "spam-eu")}
    assert len(both) > 100
    assert {cycle.state for panel in ("spam", "spam-eu") for cycle in cycles(made, panel)} == {CycleState.JUDGED}


def test_an_expired_label_is_asked_again(here):
    made = played(here, second(label_validity=WEEK / 100), 0)
    assert share_reused(made, "spam-eu") == 0


def test_a_correction_revises_the_estimates_of_both(here):
    made = played(here, second(), 0)
    before = {panel: estimates(made, panel) for panel in ("spam", "spam-eu")}
    flipped = [d for d in draws(made, "spam") if made.queue.truth[d.item_key]][:20]
    import_labels(made.ports, "spam", [HandLabel(d.item, "no", "ann", at=made.clock.now()) for d in flipped], "desk")
    work(made, 2)
    for panel, (number, found) in before.items():
        later, changed = estimates(made, panel)
        assert later > number
        assert changed != found


def test_a_label_given_by_hand_in_one_panel_is_known_in_the_other_and_draws_nothing(here):
    """Labels of before are history: what is drawn follows from the random numbers, and others enter no estimate."""
    made = played(here, second(), 0)
    drawn = {d.item for d in draws(made, "spam-eu")}
    others = sorted(row.item for row in made.source.windows[MONDAY] if row.item not in drawn)[:200]
    before = estimates(made, "spam-eu")
    import_labels(made.ports, "spam", [HandLabel(item, "yes", "desk") for item in others])
    work(made, 2)
    assert estimates(made, "spam-eu") == before


def test_an_erased_item_is_not_reused(here):
    made = played(here, second(), 0)
    item = next(d.item for d in draws(made, "spam") if d.item in {e.item for e in draws(made, "spam-eu")})
    remembered = []
    erase_item(made.ports, ["spam", "spam-eu"], item, (), remembered.extend, "asked for")
    assert item not in {d.item for panel in ("spam", "spam-eu") for d in draws(made, panel)}
