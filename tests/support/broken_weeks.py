"""Seven weeks of a panel of three classifiers, of which the fifth and sixth are broken and the last is being labelled.

Answers are skipped, late or missing here and there, and items come again, so that no count of labels is another one.
"""

from pathlib import Path

from stratawatch.core.goals import Limit
from stratawatch.core.population import Segment
from stratawatch.engine.alarms.acknowledgements import acknowledge_incident
from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.model.panel_links import Deployment, PanelLinks
from stratawatch.engine.model.panel_spec import CallCosts, ClassifierSpec, PanelSpec
from tests.support.fakes import MONDAY, WEEK, spec
from tests.support.scenario import Scenario, open_all
from tests.support.stores import empty_store

GERMANY = Segment("country", "DE")
PANEL = spec(
    budget=250,
    classifiers=(*spec().classifiers, ClassifierSpec("strict", "score_rf", cut_off=0.75)),
    limits=(
        Limit("precision", floor=0.4, classifiers=("lr",)),
        Limit("false_omission_rate", ceiling=0.12),
        Limit("precision", floor=0.02, classifiers=("rf",), segment=GERMANY),
    ),
    costs=CallCosts("EUR", wrong_flag=2.5, miss=40.0),
)
WEEKS, BROKEN, LATE, SKIPPING = 7, 4, 2, 5
"""How many weeks there are, the first that is broken, one with answers after its deadline, and one with skipped items.

The newest week stops half answered.
"""
ITEMS, AGAIN = 1800, 600
LINKS = PanelLinks(deployments=(Deployment(MONDAY + (BROKEN + 0.5) * WEEK, "lr 2.1", "lr"),))


def play_broken_weeks(file: Path, panel: PanelSpec = PANEL) -> Scenario:
    """Play them on a new store in this file; somebody looks after what was paged."""
    scenario = Scenario.around(empty_store(file), panel)
    for week in range(WEEKS):
        _produce(scenario, week)
        scenario.clock.moment = MONDAY + (week + 1) * WEEK
        asked = len(scenario.queue.asked())
        open_all(scenario)
        for _ in range(1 if week == WEEKS - 1 else 3):
            _advance(scenario)
            _answer(scenario, week, asked)
        _advance(scenario)
        if week == LATE:
            _let_the_deadline_pass(scenario, asked)
    for incident in _open_breaches(scenario):
        acknowledge_incident(scenario.ports, incident, "looking")
    return scenario


def _produce(scenario: Scenario, week: int) -> None:
    """New items, and some of the week before once more."""
    scenario.produce(week, size=ITEMS, quality=0.1 if week >= BROKEN else 0.95)
    if week:
        rows = scenario.source.windows
        rows[MONDAY + week * WEEK] = [*rows[MONDAY + week * WEEK], *rows[MONDAY + (week - 1) * WEEK][:AGAIN]]


def _advance(scenario: Scenario) -> None:
    scenario.clock.advance(hours=1)
    assert advance(scenario.ports).troubles == ()


def _answer(scenario: Scenario, week: int, first: int) -> None:
    """Of what this week asked, every thirteenth item of one week is skipped, every eleventh of others has no answer."""
    numbers = {key: number for number, key in enumerate(scenario.queue.asked()[first:])}
    if week == SKIPPING:
        scenario.queue.answer(scenario.clock.now(), only=lambda key: numbers.get(key, 0) % 13 == 5, value="skip")
    is_short = week in (LATE, WEEKS - 1)
    scenario.queue.answer(
        scenario.clock.now(), only=lambda key: key in numbers and not (is_short and numbers[key] % 11 == 3)
    )


def _let_the_deadline_pass(scenario: Scenario, first: int) -> None:
    """The window is judged on what came; then half of the rest comes, and the other half never does."""
    scenario.clock.advance(days=4)
    _advance(scenario)
    late = set(scenario.queue.asked()[first:][3::22])
    scenario.queue.answer(scenario.clock.now(), only=late.__contains__)
    _advance(scenario)


def _open_breaches(scenario: Scenario) -> list[int]:
    with scenario.ports.store.begin() as tx:
        found = tx.alarms.incidents(panel=scenario.panel.name)
    return [one.id for one in found if one.kind == "BREACH" and one.resolved_at is None]
