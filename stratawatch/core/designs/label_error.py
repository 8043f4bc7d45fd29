"""Estimates corrected for the errors of labels, which gold items measure.

Annotators say yes to a share se of the positives (sensitivity) and no to a share sp of the negatives (specificity). Of
items of which a share p is positive they then call se p + (1 - sp)(1 - p) positive, so that a labelled share q means
p = (q - (1 - sp)) / (se + sp - 1) (Rogan and Gladen 1978, American Journal of Epidemiology 107:71). That is done on
each side of a classifier, where the share is the precision or the false-omission rate that the labels gave; every other
metric follows from both shares and the sides' sizes. It takes errors to be as frequent at any score.

Four estimates make a corrected one: both labelled shares, se and sp. Its ends are quantiles of what it is when the four
are drawn, each from two halves of a normal distribution that have the ends of its own interval where it has them. A
share that comes out below 0 counts as 0, as the estimate does. The interval of a labelled share is about the labels
that these items would get; those err by chance too, more or fewer of them than se and sp say, which widens it.

Gold items measure single votes. Where the survey asks for second votes, the verdicts of checked items err less (see
`core.second_votes`). What a classifier calls negative is all checked; what it calls positive is so where another one
calls it negative. There the labelled share of each class is corrected by itself, and their sizes, which are counted,
put both together.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np

from stratawatch.core.cells import Flags
from stratawatch.core.designs.frozen import FrozenDesign
from stratawatch.core.estimate import Estimate, IntervalEstimate, Undefined
from stratawatch.core.estimation.effective_sample_size import effective_sample_size
from stratawatch.core.estimation.interval import normal_quantile
from stratawatch.core.estimation.wilson import wilson_interval
from stratawatch.core.metrics import A, B, RatioMetric, SideTotals, metric_named
from stratawatch.core.population import Floats, Segment
from stratawatch.core.second_votes import yes_rate
from stratawatch.core.verdicts import VerdictsByItem
from stratawatch.errors import StratawatchError

SIDE_SHARES: Final = ("precision", "false_omission_rate")
"""The metrics that are the shares of positives on both sides."""
_DRAWS: Final = 20_000
_LEAST_EXCESS: Final = 1e-6
"""Draws in which labels are no better than chance count as a hair better: there any share is possible."""
NO_BETTER_THAN_CHANCE: Final = "the gold items do not show that labels are better than chance"

_Ends = tuple[float, float, float]
"""A value, the low and the high end of its interval."""
_Place = tuple[str, Segment | None]


@dataclass(frozen=True)
class GoldAnswers:
    """What annotators said of gold items, whose truth is known and who do not know them.

    >>> gold = GoldAnswers(positives=100, said_yes=95, negatives=200, said_no=196)
    >>> gold.sensitivity, gold.specificity
    (0.95, 0.98)
    """

    positives: int
    said_yes: int
    negatives: int
    said_no: int

    def __post_init__(self) -> None:
        if not (0 <= self.said_yes <= self.positives and 0 <= self.said_no <= self.negatives):
            raise StratawatchError(
                "the gold answers do not add up",
                expected="0 <= said_yes <= positives and 0 <= said_no <= negatives",
                got=f"{self.said_yes} of {self.positives}, and {self.said_no} of {self.negatives}",
            )
        if not (self.positives and self.negatives):
            raise StratawatchError(
                "gold items of one kind alone do not tell how often labels are wrong",
                expected="at least one positive and one negative, better a hundred of each",
                got=f"{self.positives} positives and {self.negatives} negatives",
            )

    @property
    def sensitivity(self) -> float:
        """The share of the positive gold items that was called so."""
        return self.said_yes / self.positives

    @property
    def specificity(self) -> float:
        """The share of the negative gold items that was called so."""
        return self.said_no / self.negatives

    def ends(self, confidence: float) -> tuple[_Ends, _Ends]:
        """Sensitivity and specificity with the ends of their intervals."""
        both = ((self.sensitivity, self.positives), (self.specificity, self.negatives))
        found = [(share, *wilson_interval(np.array(share), np.array(float(n)), confidence)) for share, n in both]
        se, sp = ((value, float(low), float(high)) for value, low, high in found)
        return se, sp


def side_shares(
    design: FrozenDesign,
    ledger: VerdictsByItem,
    drawn: Collection[str],
    *,
    confidence: float,
    segments: Sequence[Segment] = (),
) -> tuple[Estimate, ...]:
    """The labelled shares that corrections need: those of both sides, and of a side's checked and other items.

    What they borrow is as that of other estimates; where nothing is borrowed history has no part in them.
    """
    shares = design.estimate(
        ledger, drawn, confidence=confidence, metrics=SIDE_SHARES, segments=segments, borrow=bool(design.priors)
    )
    checked = design.checked
    if not (design.cells.positive[checked].any() and design.cells.positive[~checked].any()):
        return shares
    places = (None, *segments)
    classes = [_class_of(place, is_checked=is_checked) for place in places for is_checked in (False, True)]
    by_class = _with_classes(design, checked, places).estimate(
        ledger, drawn, confidence=confidence, metrics=SIDE_SHARES[:1], segments=classes
    )
    return (*shares, *(one for one in by_class if one.segment is not None))


def corrected_estimates(
    design: FrozenDesign,
    found: Sequence[Estimate],
    shares: Sequence[Estimate],
    gold: GoldAnswers,
    *,
    complete: float = 1.0,
) -> tuple[IntervalEstimate | Undefined, ...]:
    """`found` without the errors of labels; `shares` are the `side_shares` of the same labels, by the same design.

    `gold` is about single votes. `complete` is the share of checked first yeses for which every vote that was needed
    came.
    """
    by_place: dict[tuple[str, Segment | None, str], Estimate] = {
        (one.classifier, one.segment, one.metric): one for one in shares
    }
    corrections: dict[_Place, _Correction | Undefined] = {}
    outcomes: list[IntervalEstimate | Undefined] = []
    for one in found:
        place = one.classifier, one.segment
        if place not in corrections:
            parts = _parts(design, place, by_place)
            corrections[place] = _correction(parts, by_place[(*place, SIDE_SHARES[0])].confidence, gold, complete)
        by = corrections[place]
        metric = metric_named(one.metric)
        if isinstance(one.result, Undefined):
            outcomes.append(one.result)
        else:
            outcomes.append(by if isinstance(by, Undefined) else by.of(metric, one.result))
    return tuple(outcomes)


@dataclass(frozen=True)
class _Part:
    """The items of a side that have as many votes: how many there are, and the share that their verdicts call yes."""

    side: int
    size: float
    share: IntervalEstimate | Undefined
    is_checked: bool


@dataclass(frozen=True)
class _Correction:
    """Both sides in parts, with the ends of each part's labelled share; sensitivity and specificity of a vote."""

    parts: Sequence[_Part]
    shares: Sequence[_Ends]
    errors: tuple[_Ends, _Ends]
    complete: float
    confidence: float

    def of(self, metric: RatioMetric, labelled: IntervalEstimate) -> IntervalEstimate | Undefined:
        """A metric without the errors of labels; `labelled` is what the labels say."""
        if metric.size(self._totals) <= 0:
            return Undefined(f"without the errors of labels nothing is left that {metric.title} is a share of")
        value, tail = float(metric.value(self._totals)), (1 - self.confidence) / 2
        drawn = metric.value(self._drawn_totals)[metric.size(self._drawn_totals) > 0]
        low, high = np.quantile(drawn, (tail, 1 - tail))
        low, high = np.minimum(low, value), np.maximum(high, value)
        variance = ((high - low) / (2 * normal_quantile(self.confidence))) ** 2
        size = np.array(labelled.n_eff)
        n_eff = effective_sample_size(np.array(value), variance, low, high, size, self.confidence)
        return IntervalEstimate(value, float(low), float(high), float(n_eff))

    @cached_property
    def _totals(self) -> SideTotals:
        return self._corrected([np.array(value) for value, _, _ in (*self.shares, *self.errors)])

    @cached_property
    def _drawn_totals(self) -> SideTotals:
        # The same draws for everybody: the same labels always give the same interval.
        ends = (*self.shares, *self.errors)
        steps = np.random.default_rng(0).standard_normal((len(ends), _DRAWS // 2))
        steps = np.concatenate([steps, -steps], axis=1) / normal_quantile(self.confidence)
        return self._corrected(
            [
                np.clip(value + step * np.where(step < 0, value - low, high - value), 0.0, 1.0)
                for step, (value, low, high) in zip(steps, ends, strict=True)
            ]
        )

    def _corrected(self, values: Sequence[Floats]) -> SideTotals:
        *shares, se, sp = values
        sizes, yes = dict.fromkeys((A, B), np.zeros_like(se)), dict.fromkeys((A, B), np.zeros_like(se))
        for part, share in zip(self.parts, shares, strict=True):
            true_share = _true_share(share, *_rates(se, sp, self.complete * part.is_checked))
            sizes[part.side] = sizes[part.side] + part.size
            yes[part.side] = yes[part.side] + part.size * true_share
        return SideTotals(sizes[A], sizes[B], yes[A], yes[B])


def _rates(se: Floats, sp: Floats, complete: float) -> tuple[Floats, Floats]:
    """The shares of true positives and of true negatives that verdicts call yes."""
    found = np.array(complete)
    return yes_rate(se, found), yes_rate(1 - sp, found)


def _true_share(labelled: Floats, right: Floats, wrong: Floats) -> Floats:
    return np.asarray(np.clip((labelled - wrong) / np.maximum(right - wrong, _LEAST_EXCESS), 0.0, 1.0))


def _correction(
    parts: Sequence[_Part], confidence: float, gold: GoldAnswers, complete: float
) -> _Correction | Undefined:
    se, sp = gold.ends(confidence)
    if se[1] + sp[1] <= 1:
        return Undefined(NO_BETTER_THAN_CHANCE)
    ends: list[_Ends] = []
    for part in parts:
        if isinstance(part.share, Undefined):
            if part.size > 0:
                return part.share
            ends.append((0.0, 0.0, 0.0))
        else:
            rates = _rates(np.array(se[0]), np.array(sp[0]), complete * part.is_checked)
            ends.append(_widened(part.share, rates, part.size, confidence))
    return _Correction(parts, ends, (se, sp), complete, confidence)


def _parts(
    design: FrozenDesign, place: _Place, shares: Mapping[tuple[str, Segment | None, str], Estimate]
) -> list[_Part]:
    """The sides of a classifier, each in one part unless some of its items are checked and others are not."""
    (classifier, segment), cells, checked = place, design.cells, design.checked
    column = design.classifiers.index(classifier)
    sizes: Floats = cells.sizes
    if segment is not None:
        sizes = np.array([atom.segments.get(segment, 0) for atom in design.atoms], dtype=np.float64)
    parts: list[_Part] = []
    for side, called, metric in zip((A, B), (cells.positive, cells.negative), SIDE_SHARES, strict=True):
        mine = sizes * called[:, column]
        found = {is_checked: float(mine @ (checked == is_checked)) for is_checked in (False, True)}
        if all(found.values()):
            for is_checked, size in found.items():
                share = shares[classifier, _class_of(segment, is_checked=is_checked), metric].result
                parts.append(_Part(side, size, share, is_checked))
        else:
            share = shares[classifier, segment, metric].result
            parts.append(_Part(side, sum(found.values()), share, is_checked=found[True] > 0))
    return parts


def _class_of(place: Segment | None, *, is_checked: bool) -> Segment:
    """The checked items of a segment or of everything, or the others, as a segment that no frame can hold."""
    column, value = (place.column, place.value) if place else ("", "")
    return Segment(f"\0{column}", f"{is_checked}\0{value}")


def _with_classes(design: FrozenDesign, checked: Flags, places: Sequence[Segment | None]) -> FrozenDesign:
    """The design with the checked items and the others, of every place, as segments."""
    atoms = []
    for atom, is_checked in zip(design.atoms, checked.tolist(), strict=True):
        sizes = {
            _class_of(place, is_checked=is_checked): atom.segments.get(place, 0) if place else atom.size
            for place in places
        }
        atoms.append(replace(atom, segments={**atom.segments, **sizes}))
    pool, columns = design.candidates, {place.column if place else None for place in places}
    drawn_checked = checked[pool.atoms].tolist()
    values: dict[str, tuple[str | None, ...]] = dict(pool.segments)
    for column in columns:
        of_items: Sequence[str | None] = ("",) * len(pool) if column is None else pool.segments[column]
        values[f"\0{column or ''}"] = tuple(
            None if value is None else f"{is_checked}\0{value}"
            for value, is_checked in zip(of_items, drawn_checked, strict=True)
        )
    return replace(design, atoms=tuple(atoms), candidates=replace(pool, segments=values))


def _widened(labelled: IntervalEstimate, rates: tuple[Floats, Floats], size: float, confidence: float) -> _Ends:
    """The labelled share of a part with ends that hold what the errors of verdicts make of its true share."""
    right, wrong = (float(rate) for rate in rates)
    share = float(_true_share(np.array(labelled.value), *rates))
    by_chance = share * right * (1 - right) + (1 - share) * wrong * (1 - wrong)
    by_chance = normal_quantile(confidence) * (by_chance / size) ** 0.5
    below, above = labelled.value - labelled.low, labelled.high - labelled.value
    return (
        labelled.value,
        labelled.value - float(np.hypot(below, by_chance)),
        labelled.value + float(np.hypot(above, by_chance)),
    )
