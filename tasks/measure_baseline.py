"""Measure a panel's baselines."""

from prefect import get_run_logger

from stratawatch.engine.baselines import measure_baseline as engine
from stratawatch.engine.baselines.baselines_from_labels import BaselineItemReader
from stratawatch.engine.baselines.measure_baseline import BaselineRequest, MeasuredBaselines
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.ports import Ports
from tasks.policy import use_case


@use_case(run_name="measure baselines")
def measure_baseline(
    ports: Ports, spec: PanelSpec, request: BaselineRequest, labels: BaselineItemReader | None = None
) -> MeasuredBaselines:
    """Measure and keep; returns what is new, what was kept before, and what is undefined."""
    measured = engine.measure_baseline(ports, spec, request, labels)
    log = get_run_logger()
    log.info("%s: %d baselines kept, %d known before", spec.name, len(measured.new), len(measured.unchanged))
    for note in measured.notes:
        log.warning("%s: %s", spec.name, note)
    for key, why in measured.undefined.items():
        log.warning("no baseline of %s: %s", key, why)
    return measured
