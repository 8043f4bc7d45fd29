"""No engine is asked to sort a population."""

import re

import pytest

from tests.support.predictions import golden_draw as golden
from tests.support.predictions.panels import WINDOW


class TestPlan:
    @pytest.mark.parametrize("name", ["census.duckdb.sql", "bad_rows.duckdb.sql", "single_scan.duckdb.sql"])
    def test_the_census_numbers_no_rows(self, name):
        assert "ROW_NUMBER" not in golden.text(name).upper()

    def test_candidates_are_numbered_only_below_the_greatest_digests(self):
        text = golden.statements().candidates(WINDOW)
        (numbered,) = re.findall(r"ROW_NUMBER\(\) OVER \([^)]*\)[^)]* FROM (\w+)", text)
        assert numbered == "kept"
        kept = text[text.index("kept AS (") : text.index("ranked AS (")]
        assert "< quotas.max_digest" in kept
        assert "FROM classified" in kept
