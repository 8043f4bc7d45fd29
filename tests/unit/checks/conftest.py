"""Profiles, candidates and a check of either kind, whose pages land in a temporary folder."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from stratawatch.adapters.checks.builtin_check import BuiltinCheck
from stratawatch.adapters.checks.great_expectations_check import GreatExpectationsCheck
from stratawatch.core.random_numbers import digest
from stratawatch.engine.model.cycle_facts import CandidateItem
from stratawatch.engine.model.input_profile import InputProfile
from stratawatch.engine.ports import PredictionCheck
from tests.support.predictions.panels import START

COLUMN = {"nulls": 0, "invalid": 0, "positives": 60, "score_nulls": 0, "score_invalid": 0}


@pytest.fixture(params=["great_expectations", "builtin"])
def check(request: pytest.FixtureRequest, tmp_path: Path) -> PredictionCheck:
    """Each check in turn: the program's own rules refuse the same, whoever looks."""
    return GreatExpectationsCheck(tmp_path) if request.param == "great_expectations" else BuiltinCheck(tmp_path)


@pytest.fixture
def profile_of() -> Callable[..., InputProfile]:
    """A healthy profile of 1,000 rows, with changes."""

    def make(column: dict[str, int] | None = None, **changes: Any) -> InputProfile:
        healthy: dict[str, Any] = {
            "rows": 1000,
            "bad_rows": 0,
            "null_items": 0,
            "first_time": START,
            "last_time": START + timedelta(days=6),
            "columns": {"lr": {**COLUMN, **(column or {})}},
        }
        return InputProfile(**{**healthy, **changes})

    return make


@pytest.fixture
def items_of() -> Callable[..., list[CandidateItem]]:
    """Healthy candidates, with changes to the first."""

    def make(number: int = 5, **changes: Any) -> list[CandidateItem]:
        made = []
        for i in range(number):
            facts: dict[str, Any] = {
                "item": f"a{i}",
                "atom": i % 2,
                "digest": digest("s", f"a{i}"),
                "pattern": "1",
                "bin": 512,
                "time": START + timedelta(hours=i),
                "payload": {"body": "text"},
            }
            made.append(CandidateItem(**{**facts, **(changes if i == 0 else {})}))
        return made

    return make
