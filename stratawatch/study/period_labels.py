"""The labels of one study, item by item, as the next one will read them."""

from stratawatch.core.designs.frozen import FrozenDesign
from stratawatch.core.population import NO_BIN
from stratawatch.core.score_bins import centre
from stratawatch.study.past import PastLabel
from stratawatch.study.population import Population
from stratawatch.study.progress import Progress


def labels_of(period: int, population: Population, design: FrozenDesign, progress: Progress) -> list[PastLabel]:
    """A row for every drawn item that is known to be a yes or a no, whoever was asked about it and when."""
    verdicts = progress.verdicts
    told = [item for item in sorted(progress.drawn) if verdicts.get(item) in ("yes", "no")]
    if not told:
        return []
    inclusion = design.inclusion(progress.rounds[-1].plan)
    homes = dict(zip(design.candidates.items, design.candidates.atoms.tolist(), strict=True))
    rows = population.items.rows_of(population.seed, told)
    cells = population.readings.cell[rows].tolist()
    bins = population.readings.bins[cells].tolist()
    return [
        PastLabel(
            item=item,
            period=period,
            pattern=population.readings.patterns[cell],
            z=None if bin_ == NO_BIN else centre(bin_),
            verdict="yes" if verdicts[item] == "yes" else "no",
            weight=1 / inclusion[design.atoms[homes[item]].stratum],
        )
        for item, cell, bin_ in zip(told, cells, bins, strict=True)
    ]
