"""A small production: a few windows, one of them never fully labelled, and the moments at which time stands."""

import csv
import json
import os
from base64 import b64encode
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import numpy as np
from pydantic import SecretStr

Story = tuple[tuple[tuple[str, int], ...], ...]
"""For every window its steps, with the hours after its end."""

PANEL: Final = "spam"
START: Final = datetime(2026, 1, 5, tzinfo=UTC)
WEEK: Final = timedelta(days=7)
QUALITY: Final = (0.15, 0.6, 0.97, 0.9)
"""Precision by window: below the floor, undecided, above it, above it."""
ROWS: Final = 2500
PREDICTIONS: Final = "predictions"
ERASED: Final = "erased-item"
"""The file with the id of the item that a person erases."""
LABELLED: Final = "labelled.csv"
"""Predictions whose labels are known: a person measures a baseline from them."""
GOLD: Final = 30
"""Items whose truth is known: a person brings them in before the first window is over."""
STAYING: Final = 300
"""Items that are there in every window, so that labels are used again."""

# The first window's labels are enough to foretell the third's, whose second round then has nothing to add.
CONFIG: Final = """\
[store]
url = "{store}"

[queue]
{queue}

[report]
folder = "reports"

[[alerts]]
kind = "webhook"
name = "ops"
url = "${{env:CHAOS_HOOK}}"

[[alerts]]
kind = "webhook"
name = "deputy"
url = "${{env:CHAOS_DEPUTY}}"
fallback = true

[retention]
payload = "10d"

[[truth]]
kind = "folder"
panel = "spam"
folder = "truth"

[panels.spam]
question = "Is this message spam?"
guideline = "Spam is what nobody asked for."
seed = "chaos"
budget = 230
batch_size = 40
gold_share = 0.05
{rule}
deadline = "3d"

[panels.spam.source]
kind = "files"
path = "predictions/*.csv"

[panels.spam.columns]
item = "id"
time = "at"
payload = ["text"]
segments = ["country"]

[panels.spam.schedule]
start = 2026-01-05T00:00:00Z
every = "7d"
lateness = "2h"

[panels.spam.classifiers.lr]
score = "score_lr"
call = "says_lr"

[panels.spam.classifiers.rf]
score = "score_rf"
call = "says_rf"

[[panels.spam.goals]]
metric = "precision"
margin = 0.1

[[panels.spam.limits]]
metric = "precision"
floor = 0.6

[[panels.spam.limits]]
metric = "recall"
floor = 0.3
classifiers = ["lr"]
"""


LABEL_STUDIO: Final = "label-studio"
BROKER: Final = "broker"
FEW: Final = 60
"""Labels of a window there: it takes 2 to 15 annotations a second."""
QUEUES: Final = {
    "folder": 'kind = "folder"\nroot = "queue"',
    "bucket": 'kind = "bucket"\nurl = "s3://chaos{folder}/queue"',
    "page": 'kind = "page"\nroot = "queue"',
    "webhook": """\
kind = "webhook"
root = "queue"
url = "${{env:CHAOS_LABELS}}"
send_key = "${{env:CHAOS_SEND_KEY}}"
receive_key = "${{env:CHAOS_RECEIVE_KEY}}\"""",
    BROKER: """\
kind = "broker"
root = "queue"
url = "${{env:CHAOS_BROKER}}"
tasks = "{folder.name}-tasks"
labels = "{folder.name}-labels\"""",
    LABEL_STUDIO: """\
kind = "label_studio"
root = "queue"
url = "{studio}"
token = "${{env:CHAOS_TOKEN}}\"""",
}
"""The table of each kind of queue; buckets lie in folders here."""
IN_FILES: Final = ("folder", "bucket")
"""Queues in which people read and write files; the others have a web process."""
SEND_KEY: Final = SecretStr(f"whsec_{b64encode(b'from us to the service. ').decode()}")
RECEIVE_KEY: Final = SecretStr(f"whsec_{b64encode(b'from the service to us. ').decode()}")
"""Of the webhook; services and installations are played on one machine."""

ANSWERED: Final = (
    ("ask", 10),
    ("lose", 20),
    ("half", 30),
    ("rest", 40),
    ("second", 50),
    ("mute", 53),
    ("mute", 56),
    ("late", 60),
)
EXPIRED: Final = (("ask", 10), ("silent", 30), ("expire", 3 * 24 + 30), ("late", 3 * 24 + 40))
MENDED: Final = (
    *(("import", 70), ("measure", 80), ("keep", 90), ("again", 100)),
    *(("rerun", 103), ("erase", 106), ("trust", 110), ("adopt", 120)),
    *(("silence", 123), ("unsilence", 126)),
)
GIVEN_UP: Final = (("backfill", 10), ("cancel", 20), ("retire", 30))

ACKNOWLEDGED: Final = ("acknowledge", 150)
"""After the reminder of a breach that is still there."""
TROUBLED: Final = (
    (("early", -48), ("gold", -24), ("blocked", 3), ("resend", 6), *ANSWERED),
    (
        ("unreadable", 3),
        ("unreadable", 30),
        ("reopen", 33),
        *((step, hours + 30) for step, hours in EXPIRED),
        ACKNOWLEDGED,
    ),
    (*ANSWERED, *MENDED),
    GIVEN_UP,
)
"""With every trouble and every hand that mends it, so that every commit of the engine is crossed."""
SHORT: Final = ((("ask", 10), ("half", 30), ("rest", 40), ("second", 50), ("mute", 53), ("late", 60)),)
"""One window with few labels."""
PLAIN: Final = (ANSWERED, EXPIRED, ANSWERED)
"""What happens in ordinary weeks: enough for the flows, whose every moment costs seconds."""

OUTAGES: Final = ("votes", "second", "mute")
"""Steps during which the receiver of alerts is out of order: a window is judged at one of them."""
BY_HAND: Final = (
    "gold",
    *("resend", "reopen", "backfill", "rerun", "cancel", "retire"),
    *("import", "measure", "keep", "again", "erase", "trust", "adopt"),
    *("acknowledge", "silence", "unsilence"),
)
"""Steps at which a person does something first. Nobody has when a process meets a fault there."""
TROUBLES: Final = ("blocked", "unreadable")
"""Steps in which the product is expected to say that it could not do something."""


@dataclass(frozen=True)
class Tick:
    """A moment at which the product is run; afterwards the annotator does what belongs to `step`."""

    period: int
    step: str
    at: datetime


def ticks(story: Story) -> tuple[Tick, ...]:
    """All moments of a story in order; hours count from a window's end."""
    return tuple(
        Tick(period, step, START + (period + 1) * WEEK + timedelta(hours=hours))
        for period, steps in enumerate(story)
        for step, hours in steps
    )


def outages(story: Story) -> list[tuple[datetime, datetime]]:
    """From when on the receiver of alerts is out of order, and when it is back."""
    found, since = [], None
    for tick in ticks(story):
        if tick.step in OUTAGES:
            since = since or tick.at
        elif since:
            found.append((since, tick.at))
            since = None
    return found


def write_world(folder: Path, seed: int, store: str, queue: str = "folder", rule: str = "") -> Path:
    """Write predictions and configuration, with a rule of the panel; returns the configuration's path."""
    (folder / PREDICTIONS).mkdir(parents=True)
    for period, quality in enumerate(QUALITY):
        _write_window(folder / PREDICTIONS / f"week-{period}.csv", seed, period, quality)
    _write_window(folder / LABELLED, seed, len(QUALITY), QUALITY[-1], labelled=True)
    _write_truth(folder / "truth")
    config = folder / "stratawatch.toml"
    table = QUEUES[queue].format(folder=folder, studio=os.environ.get("CHAOS_STUDIO", ""))
    text = CONFIG.format(store=store, queue=table, rule=rule)
    if queue == LABEL_STUDIO:
        text = text.replace("budget = 230\nbatch_size = 40", f"budget = {FEW}\nbatch_size = 25")
    config.write_text(text, encoding="utf-8")
    return config


def _write_truth(folder: Path) -> None:
    """What came by itself about items that are there in every window: one of them twice, one taken back."""
    folder.mkdir()
    said = [(1, "yes"), (2, "no"), (3, "yes"), (3, "yes"), (1, "retract")]
    lines = [{"item": f"stays-{i}", "value": value, "at": START.isoformat()} for i, value in said]
    (folder / "complaints.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def _write_window(path: Path, seed: int, period: int, quality: float, *, labelled: bool = False) -> None:
    rng = np.random.default_rng([seed, period])
    stays = np.random.default_rng([seed, 99]).random(STAYING)
    z = rng.beta(0.5, 2.5, ROWS)
    scores = np.clip(z[:, None] + rng.normal(0, 0.06, (ROWS, 2)), 0, 1)
    says = scores >= 0.5
    luck = rng.random(ROWS)
    luck[:STAYING] = stays
    truth = luck < np.where(says.any(axis=1), quality, 0.01)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(
            ["id", "at", "text", "country", "score_lr", "score_rf", "says_lr", "says_rf", *(["label"] * labelled)]
        )
        for i in range(ROWS):
            item = f"stays-{i}" if i < STAYING else f"w{period}-{i}"
            # Who reads the text knows the answer; the scores do not.
            text = f"{'buy' if truth[i] else 'hello'} {item}"
            moment = START + period * WEEK + i * WEEK / ROWS
            cells = [f"{scores[i, 0]:.6f}", f"{scores[i, 1]:.6f}", int(says[i, 0]), int(says[i, 1])]
            label = ["yes" if truth[i] else "no"] * labelled
            writer.writerow([item, f"{moment:%Y-%m-%d %H:%M:%S}", text, "DE" if i % 3 else "FR", *cells, *label])
