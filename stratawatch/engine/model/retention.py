"""How long the store keeps what estimates do not need."""

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True)
class Retention:
    """Periods, after which the purge takes things out of the store.

    `payload` is what labellers were shown of items that were drawn, counted from the end of their cycle; items that
    were not drawn lose theirs when the cycle ends. `bad_rows` are rows that were set aside. `waiting_labels` are labels
    whose item was never drawn. `truth` are statements that came by themselves. `revisions` are estimates that a later
    label has replaced. `transitions` are moves of rounds and batches whose cycle has ended. `reports` are the dated
    pages, `data_docs` those of the input check. Item ids, random numbers, weights, verdicts, the newest estimates and
    the moves of cycles stay for ever.
    """

    payload: timedelta = timedelta(days=90)
    bad_rows: timedelta = timedelta(days=90)
    waiting_labels: timedelta = timedelta(days=365)
    truth: timedelta = timedelta(days=730)
    revisions: timedelta = timedelta(days=365)
    transitions: timedelta = timedelta(days=730)
    reports: timedelta = timedelta(days=730)
    data_docs: timedelta = timedelta(days=730)


@dataclass(frozen=True)
class Purged:
    """How much one purge took out: cycles that lost payload, rows of the store, and pages."""

    undrawn: int = 0
    payloads: int = 0
    bad_rows: int = 0
    waiting_labels: int = 0
    truth: int = 0
    revisions: int = 0
    transitions: int = 0
    pages: int = 0
