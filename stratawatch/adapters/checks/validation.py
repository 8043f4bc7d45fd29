"""Runs a suite through Great Expectations. Its own failures are raised, never taken for bad data."""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from stratawatch.adapters.checks.rules import Rule, Suite
from stratawatch.errors import Unreachable

_OFF = {"GX_ANALYTICS_ENABLED": "false"}
"""Set before the import: the library must not send usage statistics."""


@dataclass(frozen=True)
class Validated:
    """The rules that failed, in the suite's order, and the library's own result for its pages."""

    failed: tuple[Rule, ...]
    result: Any


def validate(suite: Suite) -> Validated:
    """Hold a frame against its rules. Raises Unreachable when Great Expectations itself fails."""
    os.environ.update(_OFF)
    import great_expectations as gx
    import pandas as pd

    try:
        result = _batch(gx, pd.DataFrame(dict(suite.frame))).validate(_expectations(gx, suite))
    except Exception as trouble:
        raise _failed(suite, f"{type(trouble).__name__}: {trouble}") from trouble
    for message in _internal_failures(result.results):
        raise _failed(suite, message)
    if len(result.results) != len(suite.rules):
        raise _failed(suite, f"{len(result.results)} results for {len(suite.rules)} rules")
    bad = {one.expectation_config.meta["rule"] for one in result.results if not one.success}
    return Validated(tuple(rule for number, rule in enumerate(suite.rules) if number in bad), result)


def _batch(gx: Any, frame: Any) -> Any:
    from great_expectations.data_context.types.base import (
        DataContextConfig,
        InMemoryStoreBackendDefaults,
        ProgressBarsConfig,
    )

    # With docs sites every context would leave a temporary folder behind; the pages are written elsewhere.
    config = DataContextConfig(
        store_backend_defaults=InMemoryStoreBackendDefaults(init_temp_docs_sites=False),
        progress_bars=ProgressBarsConfig(globally=False),
        analytics_enabled=False,
    )
    context = gx.get_context(mode="ephemeral", project_config=config)
    asset = context.data_sources.add_pandas("stratawatch").add_dataframe_asset("frame")
    return asset.add_batch_definition_whole_dataframe("all").get_batch({"dataframe": frame})


def _expectations(gx: Any, suite: Suite) -> Any:
    made = [
        getattr(gx.expectations, rule.expectation)(**rule.arguments, severity=rule.severity, meta={"rule": number})
        for number, rule in enumerate(suite.rules)
    ]
    return gx.ExpectationSuite(name=suite.name, expectations=made)


def _internal_failures(results: Iterable[Any]) -> Iterator[str]:
    """exception_info is one record, or a record for each metric, depending on where the library failed."""
    for result in results:
        info = result.exception_info or {}
        records = [info] if "raised_exception" in info else [one for one in info.values() if isinstance(one, Mapping)]
        for record in records:
            if record.get("raised_exception"):
                yield f"{result.expectation_config.type}: {record.get('exception_message')}"


def _failed(suite: Suite, message: str) -> Unreachable:
    return Unreachable(
        f"the input check of the {suite.name} failed in itself, which says nothing about the data",
        got=message.strip().splitlines()[0] if message.strip() else "no message",
        hint="it is tried again at the next advance",
    )
