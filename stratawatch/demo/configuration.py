"""The demo's stratawatch.toml, with limits below the healthy values."""

import json
import os
from pathlib import Path
from typing import Final

from stratawatch.demo.models import MAJORITY_VOTE, SCORED_CLASSIFIERS
from stratawatch.demo.week_files import BUDGET, PANEL, START
from stratawatch.demo.world import SimulatedWorld
from stratawatch.errors import StratawatchError

STUDIO_URL: Final = "LABEL_STUDIO_URL"
STUDIO_KEY: Final = "LABEL_STUDIO_TOKEN"
"""Where the environment says which Label Studio takes the demo's batches, and with which token."""
MARGINS: Final = {"precision": 0.03, "recall": 0.03}
"""The same for both, as the limits of both stand as far below what is healthy."""

_HEAD: Final = """\
# Written by the demo. Limits stand 5 points below what the classifiers did in a healthy period before week 1.

[store]
url = "sqlite:///stratawatch.db"

[queue]
root = "queue"
{queue}

[report]
folder = "reports"

[[alerts]]
kind = "console"

[panels.{panel}]
owner = "trust and safety, on call"
runbook = "https://wiki.example.org/scam"
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


def queue_table(queue: str) -> str:
    """What the table of a kind of queue says beside its folder."""
    if queue != "label_studio":
        return f'kind = "{queue}"'
    for name in (STUDIO_URL, STUDIO_KEY):
        if not os.environ.get(name):
            raise StratawatchError(
                "the demo needs a Label Studio of yours",
                expected=f"its address in {STUDIO_URL} and a token in {STUDIO_KEY}",
                got=f"no {name}",
            )
    url = json.dumps(os.environ[STUDIO_URL])
    return f'kind = "label_studio"\nurl = {url}\ntoken = "${{env:{STUDIO_KEY}}}"'


def configuration_text(world: SimulatedWorld, queue: str = "folder") -> str:
    """The text of stratawatch.toml."""
    parts = [
        _HEAD.format(queue=queue_table(queue), panel=PANEL, seed=world.seed, budget=BUDGET, start=START),
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
