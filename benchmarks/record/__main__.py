"""A record of numbers: plans, draws and estimates of ten populations, to show that a change moves nothing.

    python -m benchmarks.record --out before.json
    python -m benchmarks.record --against before.json

The second ends with 1 where a plan or a draw is another one, or a float differs by more than 1e-9 of itself (with
`--exact`: where any bit differs). Floats are written as `float.hex` does. It takes less than a minute.
"""

import argparse
import json
import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import scipy

from benchmarks.record.compare import Comparison, compare
from benchmarks.record.core import parts
from benchmarks.record.studies import cases, record

TOLERANCE: Final = 1e-9
_SHOWN: Final = 20


def recorded() -> dict[str, Any]:
    """All cases by name, and the libraries that made the numbers."""
    found: dict[str, Any] = {f"{case.population}, {case.name}": record(case) for case in cases()}
    found |= {name: find() for name, find in parts()}
    libraries = {"python": sys.version.split()[0], "numpy": np.__version__, "scipy": scipy.__version__}
    return {"libraries": libraries, "cases": _plain(found)}


def _plain(value: Any) -> Any:
    """JSON values; floats become text, so that no bit is lost; NaN is nothing, as in a frame."""
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [_plain(inner) for inner in value]
    if isinstance(value, np.generic):
        return _plain(value.item())
    if isinstance(value, float):
        return None if math.isnan(value) else value.hex()
    return value


def report(before: Mapping[str, Any], after: Mapping[str, Any], *, exact: bool) -> int:
    """Print what differs; 1 where it must not."""
    if before["libraries"] != after["libraries"]:
        print(f"other libraries: {before['libraries']}, now {after['libraries']}")
    found = compare(before["cases"], after["cases"])
    _show("not the same", found.unlike)
    moved = sorted(found.moved, reverse=True)
    _show("floats that differ", [f"{difference:.3g} {place}" for difference, place in moved])
    print(
        f"{len(after['cases'])} cases, {found.numbers:,} floats: {len(found.unlike):,} things are not the same, "
        f"{len(moved):,} floats differ, at most by {found.largest:.3g} of themselves"
    )
    return 0 if _holds(found, exact=exact) else 1


def _holds(found: Comparison, *, exact: bool) -> bool:
    return not found.unlike and found.largest <= (0.0 if exact else TOLERANCE)


def _show(title: str, lines: Sequence[str]) -> None:
    if lines:
        print(f"{title}: {len(lines):,}")
    for line in lines[:_SHOWN]:
        print(f"  {line}")
    if len(lines) > _SHOWN:
        print(f"  and {len(lines) - _SHOWN:,} more")


def main(argv: Sequence[str] | None = None) -> int:
    """Read the options, make the record, keep or compare it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.record")
    parser.add_argument("--out", type=Path, help="file to keep the record in")
    parser.add_argument("--against", type=Path, help="an earlier record to compare with")
    parser.add_argument("--exact", action="store_true", help="every bit of every float must be the same")
    given = parser.parse_args(argv)
    if given.out is None and given.against is None:
        parser.error("say --out FILE or --against FILE")
    now = recorded()
    if given.out is not None:
        given.out.write_text(json.dumps(now, indent=0) + "\n", encoding="utf-8")
    if given.against is None:
        return 0
    return report(json.loads(given.against.read_text(encoding="utf-8")), now, exact=given.exact)


if __name__ == "__main__":
    sys.exit(main())
