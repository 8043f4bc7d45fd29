"""What a few rows say, and what only some rows hold."""

from datetime import UTC, datetime

import pytest

from stratawatch.adapters.sources import table_look
from stratawatch.config.proposals.proposal import Choices
from stratawatch.errors import StratawatchError
from tests.support.proposed_tables import SCORE, proposed, table_of

ONE = f"{SCORE} AS score_lr"


@pytest.mark.parametrize("lost", ["2099-01-01", "1980-01-01"])
def test_one_row_of_another_year_moves_no_window(tmp_path, lost):
    plain = proposed(tmp_path, table_of(ONE))
    proposal = proposed(tmp_path, table_of(ONE, more=f"UNION ALL SELECT 'lost', TIMESTAMPTZ '{lost} 00:00:00+00', 0.5"))
    assert proposal.schedule == plain.schedule
    assert any("1 of 601 rows have a time far from all others" in remark for remark in proposal.remarks)


def test_a_row_a_month_keeps_every_window(tmp_path):
    row = f"SELECT i AS id, TIMESTAMPTZ '2025-01-05 00:00:00+00' + INTERVAL (i) MONTH AS scored_at, {ONE}"
    proposal = proposed(tmp_path, f"{row} FROM range(9) AS t(i)")
    assert proposal.schedule.newest > datetime(2025, 8, 20, tzinfo=UTC)


@pytest.mark.parametrize("text", ["%Y-%m-%d", "%Y-%m-%d %H:%M:%S"])
def test_a_date_says_no_offset(tmp_path, text):
    query = f"SELECT * REPLACE (STRFTIME(scored_at, '{text}') AS scored_at) FROM ({table_of(ONE)})"
    assert any("says no offset from UTC" in remark for remark in proposed(tmp_path, query).remarks)


class TestRepeatedItems:
    REPEATED = "UNION ALL SELECT 'm-3', TIMESTAMPTZ '2026-01-05 02:00:00+00', 0.5"

    def test_of_a_few_the_newest_row_counts(self, tmp_path):
        proposal = proposed(tmp_path, table_of(ONE, more=self.REPEATED))
        assert (proposal.item, proposal.takes_latest) == ("message_id", True)
        assert any(
            "ids in 'message_id' repeat within a window in 1 row of 601" in remark for remark in proposal.remarks
        )

    def test_many_are_refused(self, tmp_path):
        with pytest.raises(StratawatchError, match="rows repeat the id of another row"):
            proposed(tmp_path, table_of(ONE, rows=60, more=self.REPEATED))


class TestMoreRowsThanAreLookedAt:
    @pytest.fixture(autouse=True)
    def few(self, monkeypatch):
        monkeypatch.setattr(table_look, "MOST_ROWS", 2048)

    def test_a_model_at_the_end_of_an_export_is_found(self, tmp_path):
        model = "CASE WHEN i < 59990 THEN ['lr', 'rf'][i % 2 + 1] ELSE 'svm' END AS model"
        query = table_of(f"{SCORE} AS score, {model}", rows=60_000)
        item = "CASE WHEN model = 'svm' THEN message_id ELSE 'm-' || (SUBSTR(message_id, 3)::INT // 2) END"
        query = f"SELECT * REPLACE ({item} AS message_id) FROM ({query})"
        (panel,) = proposed(tmp_path, query).panels
        assert {one.name for one in panel.classifiers} == {"lr", "rf", "svm"}

    def test_a_rare_call_is_known(self, tmp_path):
        call = "CASE WHEN i = 59999 THEN 'fraud' WHEN i % 2 = 0 THEN 'ok' ELSE 'doubt' END AS pred_lr"
        proposal = proposed(tmp_path, table_of(call, rows=60_000), Choices(call_yes=("fraud",)))
        assert proposal.panels[0].classifiers[0].call_yes == "fraud"
