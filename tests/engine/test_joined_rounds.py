"""Two rounds without a history, the second after the labels of the first: every page reads their labels by one weight."""

from dataclasses import replace

import pytest

from stratawatch.core.alarms.cut_offs import LimitLine, choose_cut_off
from stratawatch.core.estimation.domain_totals import DomainTotals
from stratawatch.core.estimation.metric_estimates import EstimationRequest
from stratawatch.core.estimation.pooled_windows import PooledWindows
from stratawatch.engine.evidence.compared_windows import ComparedWindows
from stratawatch.engine.evidence.pages import JudgedWindow
from stratawatch.engine.evidence.windows_together import window_labels
from stratawatch.engine.labels.labelled_cycle import load_labelled_cycle
from stratawatch.engine.labels.labelled_items import labelled_items
from tests.support.fakes import MONDAY, spec
from tests.support.scenario import label_weeks, new_scenario, only_cycle

METRICS = ("precision", "recall", "false_omission_rate")


def ends(estimates):
    """Value and ends of everything that is defined, and the labels of it; sums of segments round in another order."""
    return {
        (one.classifier, one.metric): (
            pytest.approx((one.result.value, one.result.low, one.result.high)),
            one.labels_used,
        )
        for one in estimates
        if one.segment is None and one.metric in METRICS
    }


def numbers(estimates):
    return {
        (one.classifier, one.metric): ((one.result.value, one.result.low, one.result.high), one.labels_used)
        for one in estimates
    }


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """One judged week of two rounds. Tests only read it."""
    made = new_scenario(tmp_path_factory.mktemp("joined") / "scenario.db", spec(budget=300))
    label_weeks(made, 0)
    yield made
    made.ports.store.dispose()


@pytest.fixture
def week(judged):
    """The transaction, the cycle, its labels, and what was stored, of all items by classifier and metric."""
    with judged.ports.store.begin() as tx:
        cycle = tx.cycles.get(only_cycle(judged))
        stored = {
            (one.classifier, one.metric): one
            for one in tx.estimates.latest(cycle.id).estimates
            if one.segment is None and one.metric in METRICS
        }
        yield tx, cycle, load_labelled_cycle(tx, judged.panel, cycle.id), stored


def test_stored_estimates_are_those_of_joined_rounds_and_count_every_label(week):
    _, _, labelled, stored = week
    assert [len(one) > 50 for one in labelled.drawn.by_round] == [True, True]
    design, ledger = labelled.design, labelled.ledger
    joined, pooled = (
        numbers(design.estimate(ledger, drawn, metrics=METRICS))
        for drawn in (labelled.drawn, frozenset(labelled.drawn))
    )
    assert joined == ends(stored.values())
    for name, ((value, *_), labels) in pooled.items():
        assert value != pytest.approx(stored[name].result.value)
        assert labels == stored[name].labels_used


def test_pages_and_windows_together_have_the_same_values(judged, week):
    tx, cycle, labelled, stored = week
    window = window_labels(tx, cycle, ("lr", "rf"), (None,))
    request = EstimationRequest(judged.panel.confidence, METRICS, (None,))
    together = PooledWindows((window,)).estimates(range(1), ("lr", "rf"), request)
    assert numbers(together) == ends(stored.values())
    alone = JudgedWindow(judged.panel, cycle, labelled, dict(stored), {}, None).alone
    assert alone == stored


def test_what_moved_reads_the_same_precision(judged, week):
    tx, cycle, _, stored = week
    (window,) = ComparedWindows(tx).since(judged.panel, cycle, "rf", MONDAY).windows
    totals = DomainTotals.of([window.labelled.counted], "rf")
    assert totals.rates[0] == pytest.approx(stored["rf", "precision"].result.value)


def test_mistakes_and_cut_offs_weigh_labels_alike(judged, week):
    """Precision at the cut-off in use is that of the labelled calls, each for the items that it stands for."""
    tx, cycle, _, _ = week
    items = [one for one in labelled_items(tx, cycle) if one.weight is not None]
    size = sum(atom.size for atom in tx.cycles.atoms(cycle.id))
    assert sum(one.weight for one in items) == pytest.approx(size)
    called = [one for one in items if one.side("rf") == "called"]
    wrong = sum(one.weight for one in called if one.is_mistake("rf")) / sum(one.weight for one in called)
    (window,) = ComparedWindows(tx).since(judged.panel, cycle, "rf", MONDAY).windows
    choice = choose_cut_off([window.scored("rf")], "rf", LimitLine("precision", 0.5), in_use=0.6)
    assert choice.in_use.precision.value == pytest.approx(1 - wrong)
    by_stratum = {one.stratum for one in items}
    assert any(len({one.weight for one in items if one.stratum == number}) > 1 for number in by_stratum)


def test_differences_of_classifiers_are_those_of_the_stored_values(week):
    _, _, labelled, stored = week
    for metric in METRICS:
        found = labelled.design.compare(labelled.ledger, labelled.drawn, "lr", "rf", metric)
        values = [stored[name, metric].result.value for name in ("lr", "rf")]
        assert found.result.value == pytest.approx(values[0] - values[1])


def test_a_cycle_of_one_round_stores_what_it_did(make_scenario):
    made = make_scenario(replace(spec(), budget=39), 0)
    number = only_cycle(made)
    with made.ports.store.begin() as tx:
        labelled, stored = load_labelled_cycle(tx, made.panel, number), tx.estimates.latest(number).estimates
    assert len(labelled.drawn.by_round) == 1
    as_one = labelled.design.estimate(labelled.ledger, set(labelled.drawn), metrics=METRICS)
    assert numbers(as_one) == ends(stored)
