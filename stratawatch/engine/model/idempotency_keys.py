"""Deterministic keys: what makes every step repeatable."""

import json
import re
from collections.abc import Sequence
from datetime import datetime
from hashlib import sha256
from typing import Final

from stratawatch.core.alarms.alarm_states import BlindCause
from stratawatch.engine.model.alarm_records import StreamKey

BY_TIME: Final = "-at"
TURN: Final = "-turn-"
"""How ids end that an event got from its own time, or from its turn among equal answers of its file."""
DIGITS: Final = 8
"""Hexadecimal digits of a batch's content in its key; only plans of one round of one cycle have to be told apart."""
_DIGITS_OF_A_VOTE: Final = 16
"""Of a batch with a second or third vote, of which a round has one for each item."""


def question_wording(question: str, guideline: str, guideline_version: str | None = None) -> str:
    """What tells questions of a panel apart: the question with its guideline, or with the guideline's version if set.

    The store says which wordings are the same question: see `PanelRepository.question_key`.
    """
    told = ["guideline", guideline] if guideline_version is None else ["version", guideline_version]
    return sha256(json.dumps([question, *told]).encode()).hexdigest()[:16]


def item_key(panel: str, item: str, question: str) -> str:
    """The name of an item towards the queue: opaque, of fixed length, the same in every cycle that asks the question.

    `question` is the key of the question.
    """
    return sha256(f"{panel}\0{question}\0{item}".encode()).hexdigest()


def gold_key(panel: str, item: str, question: str, place: str) -> str:
    """The name of a gold item towards the queue in one round, which `place` names: nobody can tell it from others."""
    return sha256(f"{panel}\0{question}\0{item}\0gold\0{place}".encode()).hexdigest()


def item_key_without_question(panel: str, item: str) -> str:
    """The name of an item as programs before schema 0008 gave it, whatever was asked. Names that are out stay valid."""
    return sha256(f"{panel}\0{item}".encode()).hexdigest()


def issued_key(text: str) -> str:
    """The item key that a text stands for: spreadsheets and tools may write its hexadecimal digits in capitals.

    Every key is lower-case hexadecimal, so only a text of that form is changed.
    """
    return text.lower() if re.fullmatch("[0-9A-Fa-f]{64}", text) else text


def is_item_key(text: str) -> bool:
    """Whether a text has the form of item keys; whether one like it was ever given is another question."""
    return re.fullmatch("[0-9a-f]{64}", text) is not None


def batch_key(
    panel: str, period: int, ordinal: int, part: int, content: Sequence[object], earlier_runs: int = 0
) -> str:
    """The name of a batch towards the queue. It ends with a digest of what is asked: another plan has another name.

    A window that is run again has the number of its earlier runs behind its period.

    >>> batch_key("spam", 12, 1, 2, ["Is it spam?", "", [["k1", {"text": "win now"}]]])
    'spam-p00012-r1-b2-130e6556'
    """
    return f"{_round_key(panel, period, ordinal, earlier_runs)}-b{part}-{_digest(content)[:DIGITS]}"


def vote_key(panel: str, period: int, ordinal: int, vote: int, content: Sequence[object], earlier_runs: int = 0) -> str:
    """The name of the batch that asks for the second or third vote on one item, whenever it is asked for.

    >>> vote_key("spam", 12, 1, 2, ["q1", "k1", {"text": "win now"}])
    'spam-p00012-r1-v2-bf5cc79b39895eba'
    """
    return f"{_round_key(panel, period, ordinal, earlier_runs)}-v{vote}-{_digest(content)[:_DIGITS_OF_A_VOTE]}"


def _round_key(panel: str, period: int, ordinal: int, earlier_runs: int) -> str:
    window = f"p{period:05d}" + (f".{earlier_runs}" if earlier_runs else "")
    return f"{panel}-{window}-r{ordinal}"


def _digest(content: Sequence[object]) -> str:
    return sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def round_key_of_batch(key: str) -> str:
    """What batches of one round of one cycle have in common in their keys, with or without a digest.

    >>> round_key_of_batch("spam-p00012-r1-b2-130e6556")
    'spam-p00012-r1'
    """
    return re.sub(rf"-(b\d+(-[0-9a-f]{{{DIGITS}}})?|v\d-[0-9a-f]{{{_DIGITS_OF_A_VOTE}}})$", "", key)


def shuffle_key(seed: str, period: int, ordinal: int, key: str) -> str:
    """Orders the items of a round so that neither stratum nor random number can be guessed from their order."""
    return sha256(f"{seed}\0order\0{period}\0{ordinal}\0{key}".encode()).hexdigest()


def incident_key(key: StreamKey, period: int, revision: int) -> str:
    """What every channel dedupes the page of one stream on; a judgement opens it at most once."""
    segment = key.segment or "all"
    return f"stratawatch:{key.panel}:{key.classifier}:{key.metric}:{segment}:breach:{period}.{revision}"


def blind_dedup_key(panel: str, cause: BlindCause, period: int, revision: int) -> str:
    """What every channel dedupes word on, of all streams of a panel that one cause hides, since a judgement found it.

    >>> blind_dedup_key("spam", BlindCause.NO_LABELS, 7, 1)
    'stratawatch:spam:blind:no-labels:7.1'
    """
    return f"stratawatch:{panel}:blind:{cause}:{period}.{revision}"


def report_key(panel: str, now: datetime) -> str:
    """What every channel dedupes word of a panel's report on: one for each week, from Monday on in UTC.

    >>> report_key("spam", datetime(2026, 1, 11)), report_key("spam", datetime(2026, 1, 12))
    ('stratawatch:spam:report:2026-W02', 'stratawatch:spam:report:2026-W03')
    """
    year, week, _ = now.isocalendar()
    return f"stratawatch:{panel}:report:{year}-W{week:02d}"


def blind_cause_of(dedup_key: str) -> BlindCause | None:
    """The cause that such a key names; None for one of a program that told all causes together.

    >>> blind_cause_of("stratawatch:spam:blind:no-labels:7.1"), blind_cause_of("stratawatch:spam:blind:7.1")
    (<BlindCause.NO_LABELS: 'no-labels'>, None)
    """
    found = re.search(r":blind:([a-z-]+):\d+\.\d+$", dedup_key)
    return BlindCause(found[1]) if found else None
