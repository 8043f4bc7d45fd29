"""A small population of items with known labels, cut and pooled as the engine would."""

from collections.abc import Callable

import numpy as np

from stratawatch.core.designs.frozen import FrozenDesign, pool_sizes
from stratawatch.core.goals import SurveySpec
from stratawatch.core.population import Candidates, Census, Segment
from stratawatch.core.random_numbers import digest
from stratawatch.core.sampling import order_by_random_number, take_smallest
from stratawatch.core.score_bins import bins_of
from stratawatch.core.stratification.stratify import stratify
from stratawatch.core.verdicts import VerdictsByItem


class LabelledPopulation:
    """Items "i0", "i1", ... with a pattern, a score and a label each; every third lives in the north."""

    def __init__(self, patterns, scores, labels, budget: int, names=("a", "b")) -> None:
        self.labels = np.asarray(labels, dtype=bool)
        self.patterns, self.items = list(patterns), [f"i{i}" for i in range(len(self.labels))]
        self.region = ["north" if i % 3 == 0 else "south" for i in range(len(self.items))]
        bins = bins_of(scores) if len(self.items) else np.array([], dtype=np.int64)
        rows = sorted(set(zip(self.patterns, bins.tolist(), strict=True)))
        where = {row: i for i, row in enumerate(rows)}
        row = np.array([where[key] for key in zip(self.patterns, bins.tolist(), strict=True)], dtype=np.int64)
        north = np.array([region == "north" for region in self.region], dtype=float)
        counts = np.bincount(row, minlength=len(rows))
        inside = np.bincount(row, weights=north, minlength=len(rows)).astype(np.int64)
        self.north, self.south = Segment("region", "north"), Segment("region", "south")
        self.census = Census(
            tuple(names),
            tuple(pattern for pattern, _ in rows),
            np.array([bin_ for _, bin_ in rows], dtype=np.int64),
            counts,
            {self.north: inside, self.south: counts - inside},
        )
        self.budget, self.survey = budget, SurveySpec(budget=budget)
        self.atoms = stratify(self.census, self.survey)
        home = {
            key: i
            for i, atom in enumerate(self.atoms)
            for key in rows
            if key[0] == atom.pattern and atom.first_bin <= key[1] <= atom.last_bin
        }
        self.atom_of = np.array([home[rows[r]] for r in row.tolist()], dtype=np.int64)
        self.design = self._design()

    def _design(self) -> FrozenDesign:
        everyone = self._candidates(range(len(self.items)))
        wanted = pool_sizes(self.atoms, self.census.classifiers, self.survey)
        strata = np.array([atom.stratum for atom in self.atoms], dtype=np.int64)
        pool = take_smallest(*order_by_random_number(everyone, strata), wanted)
        return FrozenDesign(self.census.classifiers, self.atoms, self._candidates(pool))

    def _candidates(self, rows) -> Candidates:
        rows = list(rows)
        return Candidates(
            items=tuple(self.items[i] for i in rows),
            atoms=self.atom_of[np.array(rows, dtype=np.int64)],
            digests=tuple(digest("seed", self.items[i]) for i in rows),
            segments={"region": tuple(self.region[i] for i in rows)},
        )

    def drawn(self, plan) -> frozenset[str]:
        return frozenset(self.design.candidates.items[i] for i in self.design.draw(plan))

    def ledger(self, drawn, answer: Callable[[str, str], str | None] = lambda item, verdict: verdict) -> VerdictsByItem:
        """Everyone answers truly, unless `answer` says otherwise (None: no answer)."""
        truth = {item: "yes" if self.labels[int(item[1:])] else "no" for item in drawn}
        told = {item: answer(item, verdict) for item, verdict in truth.items()}
        return VerdictsByItem({item: verdict for item, verdict in told.items() if verdict is not None})

    def labelled(self, answer=lambda item, verdict: verdict):
        """Two rounds; returns the ledger and what was drawn."""
        first = self.design.plan(self.survey, VerdictsByItem({}), (), ordinal=1)
        drawn = self.drawn(first)
        second = self.design.plan(self.survey, self.ledger(drawn, answer), drawn, ordinal=2)
        drawn = self.drawn(second)
        return self.ledger(drawn, answer), drawn


def two_classifiers(items: int = 6000, budget: int = 300, seed: int = 1) -> LabelledPopulation:
    rng = np.random.default_rng(seed)
    signal = 2 * rng.normal(size=items) - 3
    labels = rng.random(items) < 1 / (1 + np.exp(-signal))
    one, two = (1 / (1 + np.exp(-(signal + 0.8 * rng.normal(size=items)))) for _ in range(2))
    patterns = [f"{int(a >= 0.4)}{int(b >= 0.4)}" for a, b in zip(one, two, strict=True)]
    return LabelledPopulation(patterns, (one + two) / 2, labels, budget)
