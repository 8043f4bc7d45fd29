"""A week of the demo, labelled in one place or another: what the store holds in the end."""

from pathlib import Path
from typing import Any

from stratawatch.adapters.store import migrate
from stratawatch.demo.configuration import write_configuration
from stratawatch.demo.world import SimulatedWorld
from stratawatch.wiring import build

ITEMS = 3_000


def demo_world(folder: Path) -> SimulatedWorld:
    """A small world; Prefect's environment is set, and its server runs."""
    from flows.demo_weeks import SimulatedProduction

    return SimulatedProduction.build(folder, 3, ITEMS).world


def play_demo_week(world: SimulatedWorld, folder: Path, queue: str, labels: int, monkeypatch: Any, annotator=None):
    """Play the first week in a folder with so many labels; returns (item, annotator, value) of each, and the estimates.

    `annotator` makes another one than the demo's own of it.
    """
    from flows.demo_weeks import PANEL, SimulatedProduction

    config = write_configuration(world, folder, queue)
    config.write_text(config.read_text().replace("budget = 900", f"budget = {labels}"))
    migrate(f"sqlite:///{folder / 'stratawatch.db'}")
    production = SimulatedProduction(world, config, ITEMS, queue)
    if annotator is not None:
        monkeypatch.setattr(SimulatedProduction, "annotator", annotator(production.annotator))
    production.run_week(1, lambda _now: None)
    with build(production.config, None, only_reading=True).ports.store.begin() as tx:
        (cycle,) = tx.cycles.find(panel=PANEL)
        said = sorted((item, event.annotator, event.value) for item, event in tx.labels.of_panel(PANEL))
        return said, tx.estimates.latest(cycle.id).estimates
