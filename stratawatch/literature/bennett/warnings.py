"""What was measured of the method, and is said wherever it is chosen; see docs/methods/bennett.md."""

from typing import Final

STOPPING: Final = (
    "Rounds of design = 'bennett' stop when the interval looks narrow enough: for a delta of .01 to .05 precision came "
    "out up to .9 points too high, and 95% intervals held the truth in 90 to 95% of runs at precision .7 to .9, in as "
    "few as 81% above"
)
SPENDING: Final = (
    "Labels of design = 'bennett' decide where the next ones are drawn: with 200 to 400 of them precision came out up "
    "to .6 points too high, and 95% intervals held the truth in 89 to 95% of runs at precision .7 to .9, in as few as "
    "87% above"
)
ONE_BIN: Final = (
    "With a single bin a run of nothing but yes looks certain: at precision .98 the 95% interval held the truth in 58% "
    "of runs"
)


def warnings_of(margin: float | None, bins: int) -> tuple[str, ...]:
    """Whole sentences."""
    first = SPENDING if margin is None else STOPPING
    return (first, ONE_BIN) if bins == 1 else (first,)
