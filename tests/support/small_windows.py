"""Windows of few items whose design and labels are written down by hand."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations, product

import numpy as np

from stratawatch.core.alarms.evidence.linear_tests import LimitTest
from stratawatch.core.alarms.evidence.window_labels import DrawnLabel
from stratawatch.core.designs.frozen import FrozenDesign
from stratawatch.core.metrics import METRICS
from stratawatch.core.population import Atom, Candidates, Segment
from tests.support.closed_forms import RATIOS

NAMES = ("a", "b", "c", "d")


def window(patterns, scores, strata, letters: Sequence[str], *, prior=None, segments: Sequence[str] | None = None):
    """A design whose candidates are all its items, and their truth by id; `letters` has one of 0 and 1 an item, by atom.

    `segments` has as many letters: the item's value in the column "kind".
    """
    atoms, items, homes, truth = [], [], [], {}
    kinds = segments or ["x" * len(each) for each in letters]
    for i, (pattern, score, stratum, each) in enumerate(zip(patterns, scores, strata, letters, strict=True)):
        counts = {Segment("kind", kind): kinds[i].count(kind) for kind in sorted(set(kinds[i]))}
        rate = None if prior is None else prior[i]
        atoms.append(Atom(pattern, i, i, len(each), score, counts, stratum, rate))
        names = [f"{i}-{j}" for j in range(len(each))]
        items += names
        homes += [i] * len(each)
        truth |= {name: letter == "1" for name, letter in zip(names, each, strict=True)}
    candidates = Candidates(
        tuple(items),
        np.array(homes, dtype=np.int64),
        tuple(f"{n:032x}" for n in range(len(items))),
        {"kind": tuple("".join(kinds))},
    )
    classifiers = NAMES[: len(patterns[0])]
    return FrozenDesign(classifiers, tuple(atoms), candidates), truth


def answer(item, verdict, **facts):
    """A first-use label that bets, unless facts say otherwise."""
    label = DrawnLabel(item, first_use=True, bets=verdict is not None, verdict=verdict)
    return replace(label, **facts)


def answers(truth: Mapping[str, bool], items) -> list[DrawnLabel]:
    return [answer(item, "yes" if truth[item] else "no") for item in items]


def draws(design: FrozenDesign, labels: Sequence[int], without=()):
    """Every draw of so many items of each stratum, apart from some items."""
    homes = design.cells.strata[design.candidates.atoms]
    pools = [
        [item for item, home in zip(design.candidates.items, homes, strict=True) if home == h and item not in without]
        for h in range(design.cells.stratum_count)
    ]
    for parts in product(*(combinations(pool, n) for pool, n in zip(pools, labels, strict=True))):
        yield [item for part in parts for item in part]


def draws_apart(design: FrozenDesign, truth: Mapping[str, bool], labels: Sequence[int], without=()):
    """One draw of each kind, and how many draws there are of it: items of an atom, a segment and a truth are alike."""
    kinds = zip(
        design.candidates.items, design.candidates.atoms.tolist(), design.candidates.segments["kind"], strict=True
    )
    kind_of = {item: (atom, kind, truth[item]) for item, atom, kind in kinds}
    found: dict[tuple, list] = {}
    for drawn in draws(design, labels, without):
        found.setdefault(tuple(sorted(kind_of[item] for item in drawn)), []).append(drawn)
    for alike in found.values():
        yield alike[0], len(alike)


def ratio(design: FrozenDesign, truth: Mapping[str, bool], form, place: int = 0, among=None) -> float:
    """A metric's true value by its textbook formula (see `closed_forms`)."""
    tp = fp = fn = tn = 0
    for item, home in zip(design.candidates.items, design.candidates.atoms.tolist(), strict=True):
        if among is not None and item not in among:
            continue
        letter = design.atoms[home].pattern[place]
        tp += letter == "1" and truth[item]
        fp += letter == "1" and not truth[item]
        fn += letter == "0" and truth[item]
        tn += letter == "0" and not truth[item]
    numerator, denominator = form(tp, fp, fn, tn)
    return numerator / denominator


def floor(metric="precision", limit=0.5, classifier="a", segment=None) -> LimitTest:
    return LimitTest(classifier, metric, segment, "floor", limit, is_floor=True)


def ceiling(metric, limit, classifier="a", segment=None) -> LimitTest:
    return LimitTest(classifier, metric, segment, "ceiling", limit, is_floor=False)


def mixed(prior=None, **options):
    """Two classifiers; a stratum of three patterns, one of a single pattern, one that few labels fill."""
    return window(
        ["11", "10", "01", "00", "11"],
        [0.9, 0.6, 0.5, 0.1, 0.95],
        [0, 0, 0, 1, 2],
        ["110", "10", "01", "0100", "11"],
        prior=prior,
        **options,
    )


PRIOR = (0.8, 0.6, 0.4, 0.15, 0.9)


def at_the_truth(design, truth, margin=0.0):
    """Floors and ceilings of every metric of both classifiers where it stands, or `margin` inside."""
    tests = []
    for metric, (place, name) in product(METRICS, enumerate(design.classifiers)):
        value = ratio(design, truth, RATIOS[metric], place)
        tests += [floor(metric, value - margin, name), ceiling(metric, value + margin, name)]
    return tests
