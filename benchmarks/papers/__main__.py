"""Do the papers' figures come out? Ours beside theirs, cell by cell, with Monte Carlo error.

All of them: `python -m benchmarks.papers`. One paper: `--only kumar`. The pictures of docs/methods/: `--figures DIR`.
The full run takes about half an hour on an idle core, `strat` twenty minutes of it, the others a few.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Final

from benchmarks.shape import Options, Result, main

PAPERS: Final[Mapping[str, str]] = {
    "kumar": "benchmarks.papers.kumar",
    "bennett": "benchmarks.papers.bennett",
    "tripathi": "benchmarks.papers.tripathi",
    "strat": "benchmarks.papers.strat",
    "baselines": "benchmarks.papers.baselines",
}


def run(options: Options) -> Result:
    """The papers that were asked for, one after the other, and their pictures if a folder was named."""
    modules = [import_module(module) for name, module in PAPERS.items() if options.given.only in (name, None)]
    results = [module.run(options) for module in modules]
    if options.given.figures is not None:
        for module in modules:
            module.figures(options.given.figures, options)
    return Result([row for one in results for row in one.rows], [v for one in results for v in one.verdicts])


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--only", choices=list(PAPERS), help="one paper")
    parser.add_argument("--runs", type=int, help="repetitions of every simulation (default: each paper's own)")
    parser.add_argument("--figures", type=Path, metavar="DIR", help="also draw the pictures of docs/methods/ here")


def papers(argv: Sequence[str] | None = None) -> int:
    """Run the benchmark; the exit status."""
    return main("papers", run, argv, _arguments)


if __name__ == "__main__":
    sys.exit(papers())
