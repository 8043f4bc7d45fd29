"""How far annotators agree about the same items: Krippendorff's alpha with an interval, and each against the others.

Alpha is 1 - observed / expected, the shares of pairs of answers to one item, and of pairs of answers whatsoever, that
differ (Krippendorff, Content Analysis, 2004, chapter 11; for two values every level of measurement is the same). 1 is
perfect agreement, 0 what chance would bring. Items with fewer than two answers tell nothing and do not enter.

The interval is a jackknife over items, on the scale of log(1 - alpha): alpha is bounded and skewed, and on its own
scale the ordinary jackknife of a hundred items with few errors held the truth in nine samples of ten. What this one
holds is measured by `benchmarks.agreement`. Where annotators disagree about no item, or about one, a jackknife sees no
spread: the ends are then those of the share of items that they disagree about.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from stratawatch.core.estimate import Undefined
from stratawatch.core.estimation.replication.replicated_estimate import t_quantile
from stratawatch.core.population import Floats

Answer = Literal["yes", "no"]
FEWEST_ITEMS: Final = 10
"""Items with two answers, below which alpha is not told: a jackknife of fewer has no use."""


@dataclass(frozen=True)
class Agreement:
    """Krippendorff's alpha with its interval, over so many items with at least two answers, `answers` in all."""

    alpha: float
    low: float
    high: float
    items: int
    answers: int
    confidence: float


@dataclass(frozen=True)
class AnnotatorAgreement:
    """How often an annotator and another one who answered the same item said the same, and what he says."""

    annotator: str
    yes: int
    no: int
    pairs: int
    """Pairs of his answer and another one's to the same item."""
    agreeing: int
    skips: int = 0


def agreement(answers: Mapping[str, Mapping[str, Answer]], confidence: float = 0.95) -> Agreement | Undefined:
    """Alpha of what annotators said, by item and annotator.

    >>> both = {f"i{n}": {"ann": word, "bob": word} for n, word in enumerate(["yes", "no"] * 10)}
    >>> one_apart = both | {"i0": {"ann": "yes", "bob": "no"}}
    >>> found = agreement(one_apart)
    >>> round(found.alpha, 2), round(found.low, 2), round(found.high, 2)
    (0.9, 0.51, 1.0)
    """
    numbers = [Counter(words.values()) for words in answers.values() if len(words) > 1]
    yes, no = (np.array([one[word] for one in numbers], dtype=float) for word in ("yes", "no"))
    items = yes.size
    if items < FEWEST_ITEMS:
        return Undefined(f"{items} items have two answers; agreement is told from {FEWEST_ITEMS} on")
    if not (yes.sum() and no.sum()):
        return Undefined("every answer is the same, so that chance alone would make annotators agree")
    differing = yes * no / (yes + no - 1)
    alpha = 1 - float(_doubt(differing.sum(), yes.sum(), no.sum()))
    low, high = _ends(differing, yes, no, confidence)
    return Agreement(alpha, low, high, items, int((yes + no).sum()), confidence)


def annotator_agreements(
    answers: Mapping[str, Mapping[str, Answer]], skips: Mapping[str, int] | None = None
) -> tuple[AnnotatorAgreement, ...]:
    """Each annotator against the others, by name, with how many items he could not tell."""
    skips = skips or {}
    said, pairs, agreeing = Counter[tuple[str, str]](), Counter[str](), Counter[str]()
    for words in answers.values():
        numbers = Counter(words.values())
        for annotator, word in words.items():
            said[annotator, word] += 1
            pairs[annotator] += len(words) - 1
            agreeing[annotator] += numbers[word] - 1
    names = sorted({annotator for annotator, _ in said} | {*skips})
    return tuple(
        AnnotatorAgreement(n, said[n, "yes"], said[n, "no"], pairs[n], agreeing[n], skips.get(n, 0)) for n in names
    )


def latest_answers(events: Iterable[tuple[str, str, str]]) -> dict[str, dict[str, Answer]]:
    """What annotators say in the end, by item and annotator, from (item, annotator, value) in order of arrival.

    A later answer takes the place of an earlier one; a skip or a retraction takes it away.
    """
    found: dict[str, dict[str, Answer]] = {}
    for item, annotator, value in events:
        words = found.setdefault(item, {})
        if value in ("yes", "no"):
            words[annotator] = value  # type: ignore[assignment]
        else:
            words.pop(annotator, None)
    return found


def latest_skips(events: Iterable[tuple[str, str, str]]) -> Counter[str]:
    """How many items each annotator could not tell in the end, from the same events."""
    last = {(item, annotator): value for item, annotator, value in events}
    return Counter(annotator for (_, annotator), value in last.items() if value == "skip")


def _doubt(differing: Floats | float, yes: Floats | float, no: Floats | float) -> Floats:
    """1 - alpha: observed over expected disagreement."""
    return np.asarray(differing * (yes + no - 1) / (yes * no))


def _ends(differing: Floats, yes: Floats, no: Floats, confidence: float) -> tuple[float, float]:
    items, total_yes, total_no = yes.size, yes.sum(), no.sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(_doubt(differing.sum() - differing, total_yes - yes, total_no - no))
        spread = float(np.sqrt((items - 1) / items * ((logs - logs.mean()) ** 2).sum()))
    if np.isfinite(spread):
        middle = float(np.log(_doubt(differing.sum(), total_yes, total_no)))
        reach = spread * t_quantile(items - 1, confidence)
        doubts = np.exp(middle + reach), np.exp(middle - reach)
    else:  # no item holds a disagreement, or one holds all of it
        counted = int(np.count_nonzero(differing))
        each = differing.sum() / counted if counted else float(np.mean((yes + no) / 2))
        most, fewest = (share * items * each for share in _shares(counted, items, confidence))
        doubts = _doubt(most, total_yes, total_no), _doubt(fewest, total_yes, total_no)
    return max(-1.0, 1 - float(doubts[0])), max(-1.0, 1 - float(doubts[1]))


def _shares(counted: int, items: int, confidence: float) -> tuple[float, float]:
    """The largest and the smallest share of items of which so many do not surprise (Clopper and Pearson 1934)."""
    from scipy.special import betaincinv

    tail = (1 - confidence) / 2
    smallest = float(betaincinv(counted, items - counted + 1, tail)) if counted else 0.0
    return float(betaincinv(counted + 1, items - counted, 1 - tail)), smallest
