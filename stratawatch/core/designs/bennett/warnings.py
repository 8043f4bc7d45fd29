"""What was measured of the method, and is said wherever it is chosen; see docs/methods/bennett.md."""

from typing import Final

STOPPING: Final = (
    "design = 'bennett' stops when its interval looks narrow enough, so that it holds the truth less often than it "
    "says: 95% intervals in 93% of runs on average, in 88% at precision .98"
)
ONE_BIN: Final = (
    "with a single bin a run of nothing but yes looks certain: at precision .98 the 95% interval held the truth in 58% "
    "of runs"
)
SPENDING: Final = (
    "labels of design = 'bennett' decide where the next ones are drawn: precision comes out some .3 points too high, "
    "and 95% intervals held the truth in 91 to 93% of runs at precision .8, in 87 to 90% at .95"
)


def warnings_of(margin: float | None, bins: int) -> tuple[str, ...]:
    """Whole sentences."""
    first = SPENDING if margin is None else STOPPING
    return (first, ONE_BIN) if bins == 1 else (first,)
