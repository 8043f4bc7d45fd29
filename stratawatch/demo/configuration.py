"""The demo's stratawatch.toml, with limits below the healthy values."""

from pathlib import Path
from typing import Final

from stratawatch.demo.models import MAJORITY_VOTE, SCORED_CLASSIFIERS
from stratawatch.demo.week_files import BUDGET, PANEL, START
from stratawatch.demo.world import SimulatedWorld

MARGINS: Final = {"precision": 0.03, "recall": 0.05}

_HEAD: Final = """\
# Written by the demo. Limits stand 5 points below what the classifiers did in a healthy period before week 1.

[store]
url = "sqlite:///stratawatch.db"

[queue]
kind = "{queue}"
root = "queue"

[report]
folder = "reports"

[[alerts]]
kind = "console"

[panels.{panel}]
question = "Is this message a scam?"
guideline = "A scam asks for money or data under a false pretence. A pushy but honest offer is not one."
seed = "demo-{seed}"
budget = {budget}
deadline = "5d"
false_pages_per_year = 1.0

[panels.{panel}.source]
kind = "files"
path = "predictions/*.parquet"

[panels.{panel}.columns]
item = "item"
time = "sent_at"
payload = ["text"]
segments = ["region"]

[panels.{panel}.schedule]
start = {start:%Y-%m-%dT%H:%M:%SZ}
every = "7d"
lateness = "2h"
"""
_SCORED: Final = """
[panels.{panel}.classifiers.{name}]
score = "score_{name}"
score_kind = "probability"
call = "says_{name}"
"""
_VOTE: Final = """
[panels.{panel}.classifiers.{name}]
call = "says_{name}"
"""
_GOAL: Final = """
[[panels.{panel}.goals]]
metric = "{metric}"
margin = {margin}
"""
_LIMIT: Final = """
[[panels.{panel}.limits]]
metric = "{metric}"
floor = {floor}
classifiers = ["{name}"]
"""


def configuration_text(world: SimulatedWorld, queue: str = "folder") -> str:
    """The text of stratawatch.toml."""
    parts = [
        _HEAD.format(queue=queue, panel=PANEL, seed=world.seed, budget=BUDGET, start=START),
        *(_SCORED.format(panel=PANEL, name=name) for name in SCORED_CLASSIFIERS),
        _VOTE.format(panel=PANEL, name=MAJORITY_VOTE),
        *(_GOAL.format(panel=PANEL, metric=metric, margin=margin) for metric, margin in MARGINS.items()),
        *(
            _LIMIT.format(panel=PANEL, metric=metric, floor=floor, name=name)
            for (name, metric), floor in world.floors.items()
        ),
    ]
    return "".join(parts)


def write_configuration(world: SimulatedWorld, folder: Path, queue: str = "folder") -> Path:
    """Write stratawatch.toml into the folder; returns its path."""
    path = folder / "stratawatch.toml"
    path.write_text(configuration_text(world, queue), encoding="utf-8")
    return path
