"""What was measured of the method, and is said wherever it is chosen; see docs/methods/tripathi.md."""

from typing import Final

from stratawatch.literature.tripathi.mixing import UNIFORM_SAMPLE

WIDER: Final = (
    "From the same labels design = 'tripathi' knows less than design = 'joint': half-widths came out 1.4 times as "
    "large for precision, 1.1 to 1.2 times for recall (four classifiers, 500 and 2,000 labels)"
)
AGAIN: Final = (
    "Mixing 'uniform_sample' of design = 'tripathi' makes precision 16 to 17% wider than 'uniform_shuffle' does, as it "
    "draws again from what is recycled"
)


def warnings_of(mixing: str) -> tuple[str, ...]:
    """Whole sentences."""
    return (WIDER, AGAIN) if mixing == UNIFORM_SAMPLE else (WIDER,)
