"""The estimates that a report shows are those that the stored answers say, made anew from each item's answer."""

from dataclasses import replace

import pytest

from stratawatch.report import build
from tests.support.broken_weeks import PANEL
from tests.support.recomputed_estimates import DifferenceValues, plain_share
from tests.support.scenario import label_weeks, new_scenario
from tests.support.stored_tables import YES_OR_NO, StoredTables

PLAIN = replace(PANEL, design="srs", limits=())


def test_values_of_the_default_design_are_those_of_the_answers(broken_weeks):
    """Of every classifier, metric and segment."""
    view, tables = broken_weeks
    values = DifferenceValues(tables, tables.judged[-1]["id"])
    shown = {
        (one.classifier, one.metric, one.segment): one.estimate.value
        for one in (*view.scores, *view.segments)
        if one.estimate
    }
    assert len(shown) == 27
    assert {stream: values.value(*stream) for stream in shown} == pytest.approx(shown, rel=1e-9)


def test_an_answer_that_is_changed_changes_the_value(broken_weeks):
    """The value is not that of answers which nobody gave."""
    view, tables = broken_weeks
    values = DifferenceValues(tables, tables.judged[-1]["id"])
    flagged = next(one for one in values.answers if one["pattern"][0] == "1" and one["said"] == "no")
    values.answers = [one | {"said": "yes"} if one is flagged else one for one in values.answers]
    assert values.value("lr", "precision") > view.scores[0].estimate.value + 1e-3


def test_draws_are_as_likely_as_the_share_of_their_stratum_that_was_drawn(broken_weeks):
    _, tables = broken_weeks
    cycle = tables.judged[-1]["id"]
    query = "SELECT stratum, SUM(size) AS size FROM atoms WHERE cycle_id = ? GROUP BY stratum"
    for row in tables.rows(query, cycle):
        drawn = [one["inclusion"] for one in tables.draws(cycle) if one["stratum"] == row["stratum"]]
        assert drawn == pytest.approx([len(drawn) / row["size"]] * len(drawn), rel=1e-9)


def test_estimates_of_a_plain_random_sample_are_those_of_the_answers(tmp_path):
    """The value, both ends of the interval and n_eff, of every classifier, metric and segment of two windows."""
    file = tmp_path / "store.db"
    scenario = new_scenario(file, PLAIN)
    label_weeks(scenario, 0, 1, size=1500)
    view = build(scenario.ports.store, PLAIN, scenario.clock.now())
    scenario.ports.store.dispose()
    tables = StoredTables(file, PLAIN.name)
    cycle = tables.judged[-1]["id"]
    kept = {(one.classifier, one.metric, one.segment): one.estimate for one in (*view.scores, *view.segments)}
    for (classifier, metric, segment), shown in kept.items():
        row = tables.estimate(cycle, classifier, metric, segment)
        assert vars(shown) == pytest.approx(plain_share(tables, cycle, row), rel=1e-9), (classifier, metric, segment)
        assert row["labels_used"] == tables.labels_used(cycle, classifier, metric, segment)
    assert len(kept) == 27
    assert all(one["said"] in YES_OR_NO for one in tables.draws(cycle))
    assert view.cost is None
    tables.close()
