"""What is proposed for a well-made table is right, loads, and fits the table's columns."""

import tempfile
from pathlib import Path

from hypothesis import given, settings

from stratawatch.adapters.sources.table_look import look_at
from stratawatch.config.loading import load_configuration
from stratawatch.config.proposals.proposal import Choices, Proposal
from stratawatch.config.proposals.propose import propose
from stratawatch.config.proposals.source_path import source_path
from stratawatch.config.proposals.table_facts import table_facts
from stratawatch.config.proposals.written_proposal import written
from stratawatch.wiring import source
from tests.support.hypothesis_examples import examples
from tests.support.prediction_tables import PredictionTable, prediction_tables


def proposal_for(table: PredictionTable, folder: Path) -> Proposal:
    """Propose for the table's file, and write the configuration beside it."""
    found = source_path(str(table.write(folder)), folder)
    with look_at(found.files) as look:
        proposal = propose(table_facts(look, Choices()), Choices(), found.path)
    (folder / "stratawatch.toml").write_text(written(proposal, found, "a seed"), encoding="utf-8")
    return proposal


@given(table=prediction_tables())
@settings(max_examples=examples(16), deadline=None)
def test_a_well_made_table_gets_the_configuration_that_a_person_would_write(table):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        proposal = proposal_for(table, folder)
        configuration = load_configuration(folder / "stratawatch.toml")
        assert configuration.notices == ()
        for panel, spec in configuration.panels.items():
            assert source(configuration, panel).describe(spec).problems == ()
        assert (proposal.item, proposal.time) == (table.item, table.time)
        watched = {panel.name for panel in proposal.panels}
        if not table.has_classes:
            (panel,) = proposal.panels
            watched = {one.name for one in panel.classifiers}
            is_asked = "question" in {one.option for one in proposal.unsure}
            assert is_asked != (panel.question == "Is this spam?")
        assert watched == table.classifiers
        assert table.hidden.isdisjoint({*proposal.payload, *proposal.segments})


@given(table=prediction_tables())
@settings(max_examples=examples(8), deadline=None)
def test_the_answer_itself_is_no_classifier_and_is_told(table):
    truth = {"label", "y_true", "is_spam", "target"} & table.hidden
    with tempfile.TemporaryDirectory() as name:
        proposal = proposal_for(table, Path(name))
    read = {column for panel in proposal.panels for one in panel.classifiers for column in (one.score, one.call)}
    assert truth.isdisjoint(read)
    for column in truth:
        (remark,) = [remark for remark in proposal.remarks if remark.startswith(f"'{column}' looks like the answer")]
        assert "`stratawatch labels import FILE`" in remark
