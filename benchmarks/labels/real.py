"""Part B, real data: the error of one classifier's precision and recall with a given number of distinct labels."""

import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from math import nan, sqrt
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter
from typing import Final
from zlib import crc32

import numpy as np
from rich.progress import track

from benchmarks.labels.frames import load
from benchmarks.labels.peers import PEERS
from benchmarks.labels.peers.peer import Answer, Ask, Metric, installed
from benchmarks.labels.product import Alone, jointly
from benchmarks.shape import Kind as VerdictKind
from benchmarks.shape import Options, Result, Row, Verdict

REPETITIONS: Final = 300
QUICK_REPETITIONS: Final = 15
SETS: Final = (("adult_income", "hgb"), ("sms_spam", "svm"))
LABELS: Final = (200, 1000)
QUICK_LABELS: Final = (200,)
METRICS: Final[tuple[Metric, ...]] = ("precision", "recall")
ALONE, JOINTLY = "stratawatch, alone", "stratawatch, jointly"
_PEERS: Final[Mapping[str, VerdictKind]] = {"ssepy": "aim", "ppi-python": "must"}
"""ssepy's smaller errors come with intervals that hold .89; totals that stay unbiased are worth more."""
_AIMS: Final[Mapping[tuple[str, int], float]] = {
    ("recall", 200): 0.043,
    ("recall", 1000): 0.018,
    ("precision", 200): 0.022,
    ("precision", 1000): 0.008,
}
"""Errors on adult_income's hgb that active sampling was measured to have."""


@dataclass(frozen=True)
class Case:
    """One way to spend so many labels on one classifier of one data set."""

    path: Path
    classifier: str
    labels: int
    method: str
    repetitions: int
    seed: int


@dataclass(frozen=True)
class Score:
    """How well a way did, over its repetitions."""

    case: Case
    metric: Metric
    rmse: float
    coverage: float
    half_width: float
    labels: float
    milliseconds: float

    def row(self) -> Row:
        """The score as a row; the error of an RMSE is RMSE / sqrt(2 repetitions)."""
        return {
            "data": f"{self.case.path.stem} {self.case.classifier}",
            "labels": self.case.labels,
            "metric": self.metric,
            "method": self.case.method,
            "rmse": self.rmse,
            "error": self.rmse / sqrt(2 * self.case.repetitions),
            "coverage": self.coverage,
            "half_width": self.half_width,
            "labels_used": self.labels,
            "ms": self.milliseconds,
        }


def run(options: Options) -> Result:
    """Every way on every data set that is there."""
    if options.data is None:
        return Result([{"part": "real", "state": "not run: no --data DIR"}])
    repetitions = options.given.repetitions or (QUICK_REPETITIONS if options.quick else REPETITIONS)
    cases = list(_cases(options, repetitions))
    os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
    with ProcessPoolExecutor(options.given.workers, mp_context=get_context("spawn")) as pool:
        found = [one for scores in track(pool.map(score, cases), "real data", len(cases)) for one in scores]
    found.sort(key=lambda one: (one.case.path, one.case.labels, METRICS.index(one.metric)))
    return Result([*_peer_rows(options.data), *(one.row() for one in found)], verdicts(found))


def _cases(options: Options, repetitions: int) -> Iterator[Case]:
    assert options.data is not None  # noqa: S101 - run() has looked
    ways = [ALONE, JOINTLY, *(peer.name for peer in PEERS if installed(peer))]
    for name, classifier in SETS:
        path = options.data / f"{name}.parquet"
        for labels in QUICK_LABELS if options.quick else LABELS:
            if path.exists():
                yield from (Case(path, classifier, labels, way, repetitions, options.seed) for way in ways)


def _peer_rows(data: Path) -> Iterator[Row]:
    for peer in PEERS:
        yield {"peer": peer.name, "state": "asked" if installed(peer) else "not installed", "how": peer.how}
    for name, _ in SETS:
        if not (data / f"{name}.parquet").exists():
            yield {"data": name, "state": "not found in --data"}


def score(case: Case) -> list[Score]:
    """Ask one way again and again; each repetition has its own generator."""
    frame, name = load(case.path), case.classifier
    if case.method == JOINTLY:
        period = frame.period()
        start = perf_counter()
        both = [jointly(period, name, case.labels, rng) for rng in _generators(case, "both")]
        seconds = perf_counter() - start
        return [_score(case, metric, [one[metric] for one in both], seconds) for metric in METRICS]
    return [found for metric in METRICS if (found := _alone(case, metric)) is not None]


def _alone(case: Case, metric: Metric) -> Score | None:
    frame = load(case.path)
    task = frame.task(case.classifier, metric)
    if len(task.frame) <= case.labels:
        return None  # all that matters is labelled: nobody can be wrong
    ask: Ask = Alone(frame, case.classifier, metric, case.labels)
    if case.method != ALONE:
        ask = next(peer for peer in PEERS if peer.name == case.method).prepare(task, case.labels)
    start = perf_counter()
    with warnings.catch_warnings():
        # A peer's warnings about its own arithmetic are not ours to show.
        warnings.simplefilter("ignore")
        answers = [ask(rng) for rng in _generators(case, metric)]
    return _score(case, metric, answers, perf_counter() - start)


def _generators(case: Case, metric: str) -> Iterator[np.random.Generator]:
    key = crc32(f"{case.path.stem} {case.method} {case.labels} {metric}".encode())
    return (np.random.default_rng([case.seed, key, number]) for number in range(case.repetitions))


def _score(case: Case, metric: Metric, answers: Sequence[Answer], seconds: float) -> Score:
    truth = load(case.path).task(case.classifier, metric).value
    value, low, high, labels = (
        np.array([getattr(one, name) for one in answers]) for name in ("value", "low", "high", "labels")
    )
    # Ends may miss an exact answer by rounding alone.
    covered = (low - 1e-12 <= truth) & (truth <= high + 1e-12)
    return Score(
        case=case,
        metric=metric,
        rmse=float(np.sqrt(np.mean((value - truth) ** 2))),
        coverage=nan if np.isnan(low).all() else float(covered.mean()),
        half_width=float(np.mean(high - low) / 2),
        labels=float(labels.mean()),
        milliseconds=1000 * seconds / len(answers),
    )


def verdicts(found: Sequence[Score]) -> list[Verdict]:
    """Everything is held to its coverage, and one classifier alone stands beside its peers."""
    return [verdict for one in found if one.case.method in (ALONE, JOINTLY) for verdict in _of(one, found)]


def _of(one: Score, found: Sequence[Score]) -> Iterator[Verdict]:
    where = f"{one.case.path.stem}, {one.metric}, {one.case.labels} labels"
    way = "alone" if one.case.method == ALONE else "jointly"
    yield Verdict(f"{where}, {way}: coverage", "must", one.coverage, 0.93, ">=")
    if one.case.method == ALONE:
        for other in found:
            if (kind := _PEERS.get(other.case.method)) and _same(one, other):
                yield Verdict(f"{where}, {way}: rmse to {other.case.method}'s", kind, one.rmse, other.rmse, "<=")
    aim = _AIMS.get((one.metric, one.case.labels))
    if aim is not None and (one.case.path.stem, one.case.classifier) == SETS[0]:
        yield Verdict(f"{where}, {way}: rmse", "aim", one.rmse, aim, "<=")


def _same(one: Score, other: Score) -> bool:
    return (one.case.path, one.case.classifier, one.case.labels, one.metric) == (
        other.case.path,
        other.case.classifier,
        other.case.labels,
        other.metric,
    )
