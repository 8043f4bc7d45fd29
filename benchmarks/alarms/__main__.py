"""`python -m benchmarks.alarms [--quick] [--cells K4/300 ...] [--chains N]`: false pages and delays of rules.

Cells of frozen designs are called by panel and labels a week; `blind` is the control of weeks that cannot see, `states`
how often a metric is OK (`states-50/50` where half of the items stay), `chain-...` are chains of weeks of the product's
own designs.
"""

import argparse
from collections.abc import Iterator, Sequence
from typing import Final

from benchmarks.alarms.blind_weeks import NAME as BLIND
from benchmarks.alarms.blind_weeks import blind_rows, blind_verdicts
from benchmarks.alarms.chain_cells import CHAIN_CELLS, chain_rows, chain_verdicts
from benchmarks.alarms.frozen_cells import FULL, QUICK, Size, frozen_rows, frozen_verdicts
from benchmarks.alarms.samples import CELLS, Cell, samples_of
from benchmarks.alarms.since import since_rows, since_verdicts
from benchmarks.alarms.state_cells import STATE_CELLS, state_rows, state_verdicts
from benchmarks.shape import Options, Result, Row, Verdict, main

SINCE_AT: Final = 300
"""Labels a week at which a page must name the week of the loss."""
CHAINS: Final = 50
"""Chains of two years in a full run: a hundred panel-years a cell."""
QUICK_CHAINS: Final = 3
GOALS: Final = "chain-goals"
STATE_CHAINS: Final = 48
"""Panels whose states are looked at for a year: from one to another the weeks that are OK differ by several points."""
ALL: Final = (*(cell.name for cell in CELLS), BLIND, *STATE_CELLS, *(cell.name for cell in CHAIN_CELLS))


def run(options: Options) -> Result:
    """All cells, or those that were asked for; the quick form has three, with budgets and with goals."""
    size = QUICK if options.quick else FULL
    asked = options.given.cells or ([CELLS[0].name, BLIND, GOALS] if options.quick else ALL)
    chains = options.given.chains or (QUICK_CHAINS if options.quick else CHAINS)
    rows: list[Row] = []
    verdicts: list[Verdict] = []
    for cell in CELLS:
        if cell.name in asked:
            for found, said in _frozen(cell, size, options.seed):
                rows, verdicts = [*rows, *found], [*verdicts, *said]
    if BLIND in asked:
        low = list(blind_rows(size.histories, size.weeks, size.years, options.seed))
        rows, verdicts = [*rows, *low], [*verdicts, *blind_verdicts(low)]
    for name in STATE_CELLS:
        if name in asked:
            states = list(state_rows(name, STATE_CHAINS, options.seed))
            rows, verdicts = [*rows, *states], [*verdicts, *state_verdicts(states)]
    for chain in CHAIN_CELLS:
        if chain.name in asked:
            years = list(chain_rows(chain, chains, options.seed))
            rows, verdicts = [*rows, *years], [*verdicts, *chain_verdicts(years, quick=options.quick)]
    return Result(rows, verdicts)


def _frozen(cell: Cell, size: Size, seed: int) -> Iterator[tuple[Sequence[Row], list[Verdict]]]:
    """Rows and verdicts of a cell: false pages and delays, and at 300 labels the weeks that pages name."""
    samples = samples_of(cell, size.histories, size.weeks, seed)
    rows = list(frozen_rows(cell, size, samples))
    yield rows, list(frozen_verdicts(rows))
    if cell.labels == SINCE_AT and not cell.screens:
        since = list(since_rows(cell, samples))
        yield since, list(since_verdicts(since))


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--cells", nargs="+", choices=ALL, default=[], help="what is looked at (default: all)")
    parser.add_argument(
        "--chains", type=int, help=f"chains of two years a cell (default: {CHAINS}, quick {QUICK_CHAINS})"
    )


def measure(argv: Sequence[str] | None = None) -> int:
    """Run the benchmark; the exit status."""
    return main("alarms", run, argv, _arguments)


if __name__ == "__main__":
    raise SystemExit(measure())
