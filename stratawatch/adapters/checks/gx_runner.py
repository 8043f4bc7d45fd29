"""Runs a suite through Great Expectations. Its own failures are raised, never taken for bad data."""

import os
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from stratawatch.adapters.checks.input_rules import InputRule, Suite
from stratawatch.errors import ConfigError, ConfigErrors, Unreachable
from stratawatch.formatting import first_line

# Set before the import: the library must not send usage statistics.
_OFF = {"GX_ANALYTICS_ENABLED": "false"}
_REMOTE = "pyspark.sql.connect"
_COMPLETE = {"result_format": "COMPLETE"}
_AGAIN = "that says nothing about the data; mend it, and the window is read at the next advance"
_LONG = ("unexpected_list", "unexpected_index_list", "unexpected_index_query", "partial_unexpected_index_list")


@dataclass(frozen=True)
class Validated:
    """The rules that failed, in the suite's order, and the library's own result for its pages.

    By the failed rule's place among them, `rows` are the frame's rows that broke it, if the rule is one of rows, and
    `observed` is the one value that was found, if the rule is one of an aggregate.
    """

    failed: tuple[InputRule, ...]
    result: Any
    rows: Mapping[int, Sequence[int]] = field(default_factory=dict)
    observed: Mapping[int, int | float | str] = field(default_factory=dict)


def validate(suite: Suite) -> Validated:
    """Hold a frame against its rules. Raises Unreachable when Great Expectations itself fails.

    ConfigErrors when expectations of the user's cannot be made, or not be asked of this frame.
    """
    gx = library()
    result = _result(gx, suite, _expectations(gx, suite))
    faults = []
    for number, message in _internal_failures(result.results):
        if not suite.rules[number].place:
            raise _failed(suite, message)
        what = f"{suite.rules[number].place} cannot be asked of the {suite.name}"
        faults.append(ConfigError(what, got=first_line(message).rstrip("."), hint=_AGAIN))
    if faults:
        raise ConfigErrors(faults)
    if len(result.results) != len(suite.rules):
        raise _failed(suite, f"{len(result.results)} results for {len(suite.rules)} rules")
    bad = {one.expectation_config.meta["rule"]: one for one in result.results if not one.success}
    numbers = sorted(bad)
    results = [bad[number].result for number in numbers]
    rows = {place: found for place, one in enumerate(results) if (found := _rows(one))}
    observed = {place: value for place, one in enumerate(results) if (value := _observed(one)) is not None}
    return Validated(tuple(suite.rules[number] for number in numbers), _brief(result), rows, observed)


def library() -> Any:
    """Great Expectations, which takes seconds to import and brings its guests' warnings along."""
    os.environ.update(_OFF)
    with warnings.catch_warnings(), _without_remote_spark():
        warnings.simplefilter("ignore", FutureWarning)
        import great_expectations as gx
    return gx


@contextmanager
def _without_remote_spark() -> Iterator[None]:
    """Let nobody import Spark's remote client, which is of no use here.

    The library does where PySpark is, and the client ends a program that has no main file (`python -c`) with success.
    """
    if _REMOTE in sys.modules:
        yield
        return
    sys.modules[_REMOTE] = None  # type: ignore[assignment]  # Python's own word for "not to be imported"
    try:
        yield
    finally:
        sys.modules.pop(_REMOTE, None)


def _rows(result: Mapping[str, Any]) -> list[int]:
    return [row for row in result.get("unexpected_index_list") or () if isinstance(row, int)]


def _observed(result: Mapping[str, Any]) -> int | float | str | None:
    found = result.get("observed_value")
    plain = found.item() if isinstance(found, np.generic) else found
    return plain if isinstance(plain, (int, float, str)) else None


def _brief(result: Any) -> Any:
    """What the pages show: a few values, as without asking for rows."""
    for one in result.results:
        for key in _LONG:
            one.result.pop(key, None)
    return result


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
    context._save_project_config = lambda *_args, **_keywords: None  # noqa: SLF001 - as YAML, to nowhere
    asset = context.data_sources.add_pandas("stratawatch").add_dataframe_asset("frame")
    return asset.add_batch_definition_whole_dataframe("all").get_batch({"dataframe": frame})


def _result(gx: Any, suite: Suite, expectations: Sequence[Any]) -> Any:
    import pandas as pd

    try:
        made = gx.ExpectationSuite(name=suite.name, expectations=list(expectations))
        batch = _batch(gx, pd.DataFrame(dict(suite.frame)))
        with _configurations_made_once(), _dependencies_found_once():
            return batch.validate(made, result_format=_COMPLETE)
    except Exception as trouble:
        raise _failed(suite, f"{type(trouble).__name__}: {trouble}") from trouble


@contextmanager
def _configurations_made_once() -> Iterator[None]:
    """Let every expectation make its configuration once.

    The library makes it anew for every key that it looks up in it, which was a third of what a check took.
    """
    from great_expectations.expectations.expectation import Expectation

    whole: Any = Expectation.__dict__["configuration"]
    made: dict[int, tuple[Any, Any]] = {}

    def configuration(expectation: Any) -> Any:
        kept = made.get(id(expectation))  # the expectation is kept too, so that no other one gets its id
        if kept is None:
            kept = made[id(expectation)] = expectation, whole.fget(expectation)
        return kept[1]

    kind: Any = Expectation
    kind.configuration = property(configuration)
    try:
        yield
    finally:
        kind.configuration = whole


@contextmanager
def _dependencies_found_once() -> Iterator[None]:
    """Let every graph of metrics find once what a metric depends on.

    The library walks down from a metric each time that another one depends on it: fifty steps for a dozen metrics.
    """
    from great_expectations.validator.validation_graph import ValidationGraph

    whole: Any = ValidationGraph.__dict__["build_metric_dependency_graph"]

    def build(graph: Any, metric_configuration: Any, runtime_configuration: Any = None) -> None:
        first = graph.__dict__.setdefault("_first_of_a_metric", {}).setdefault(
            metric_configuration.id, metric_configuration
        )
        if first is metric_configuration:
            whole(graph, metric_configuration, runtime_configuration)
            return
        # It is the same metric by another object, which gets what the first one got.
        graph.set_metric_configuration_default_kwargs_if_absent(metric_configuration)
        metric_configuration.metric_dependencies = first.metric_dependencies

    kind: Any = ValidationGraph
    kind.build_metric_dependency_graph = build
    try:
        yield
    finally:
        kind.build_metric_dependency_graph = whole


def _expectations(gx: Any, suite: Suite) -> list[Any]:
    made, faults = [], []
    for number, rule in enumerate(suite.rules):
        try:
            made.append(_expectation(gx, suite, rule, number))
        except ConfigError as fault:
            faults.append(fault)
    if faults:
        raise ConfigErrors(faults)
    return made


def _expectation(gx: Any, suite: Suite, rule: InputRule, number: int) -> Any:
    try:
        made = getattr(gx.expectations, rule.expectation)
        return made(**rule.arguments, severity=rule.severity, meta={"rule": number})
    except Exception as trouble:
        if not rule.place:
            raise _failed(suite, f"{type(trouble).__name__}: {trouble}") from trouble
        raise ConfigError(f"{rule.place} is not right", got=_wrong(trouble)) from trouble


def _wrong(trouble: Exception) -> str:
    """What the library says is wrong with an expectation's arguments, the first word on each."""
    said = getattr(trouble, "errors", None)
    if not callable(said):
        return f"{type(trouble).__name__}: {trouble}"
    first: dict[str, str] = {}
    for error in said():
        name = ".".join(str(part) for part in error["loc"] if part != "__root__")
        first.setdefault(name, error["msg"])
    return "; ".join(f"{name}: {message}" if name else message for name, message in first.items())


def _internal_failures(results: Iterable[Any]) -> Iterator[tuple[int, str]]:
    """The rule's number and what the library says.

    exception_info is one record, or a record for each metric, depending on where the library failed.
    """
    for result in results:
        info = result.exception_info or {}
        records = [info] if "raised_exception" in info else [one for one in info.values() if isinstance(one, Mapping)]
        for record in records:
            if record.get("raised_exception"):
                configured = result.expectation_config
                yield configured.meta["rule"], f"{configured.type}: {record.get('exception_message')}"


def _failed(suite: Suite, message: str) -> Unreachable:
    return Unreachable(
        f"the input check of the {suite.name} failed in itself, which says nothing about the data",
        got=first_line(message).rstrip("."),
        hint="it is tried again at the next advance",
    )
