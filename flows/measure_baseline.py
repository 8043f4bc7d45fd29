"""The flow that measures baselines of a panel, from its judged windows or from labelled predictions, run by hand."""

from datetime import datetime

from prefect import flow

from flows.artifacts import show_baselines
from stratawatch.engine.baselines.baselines_from_labels import side_sizes
from stratawatch.engine.baselines.measure_baseline import BaselineRequest, MeasuredBaselines
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.errors import StratawatchError
from stratawatch.settings.revealed_secrets import hiding_secrets
from stratawatch.wiring import Installation, build, labelled_predictions
from tasks.measure_baseline import measure_baseline as measure
from tasks.policy import LONGEST_RUN, sealed


@flow(name="measure-baseline", persist_result=False, timeout_seconds=LONGEST_RUN)
@hiding_secrets
def measure_baseline(
    panel: str,
    file: str | None = None,
    label: str | None = None,
    of: list[str] | None = None,
    windows: int | None = None,
    called: float | None = None,
    passed: float | None = None,
    valid_from: datetime | None = None,
    valid_until: datetime | None = None,
    config: str = "stratawatch.toml",
    now: datetime | None = None,
) -> MeasuredBaselines:
    """Measure and keep baselines of a panel. It has no schedule: baselines must not follow the drift that they show."""
    installation = build(config, now)
    spec = _panel(installation, panel)
    labels = labelled_predictions(installation.configuration, panel, file, label)
    request = BaselineRequest(tuple(of or ()), windows, side_sizes(called, passed), valid_from, valid_until)
    measured = measure(sealed(installation.ports), spec, request, labels)
    show_baselines(installation.ports, spec)
    return measured


def _panel(installation: Installation, name: str) -> PanelSpec:
    if name not in installation.panels:
        raise StratawatchError(f"there is no panel '{name}'", expected=", ".join(installation.panels))
    return installation.panels[name]
