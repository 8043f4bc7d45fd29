"""What was measured of the method, and is said wherever it is chosen; see docs/methods/kumar.md."""

from typing import Final

INTERVAL: Final = (
    "The 95% intervals of design = 'kumar' hold the truth in 94 to 95% of cycles with PRO, but in 91% where only a few "
    "of the labels are of wrong calls (100 labels of a classifier that is 95% right)"
)
EQUAL: Final = (
    "Allocation EQU of design = 'kumar' can be worse than random sampling, as nothing ties the labels of a stratum to "
    "its size: on scores like epsilon's the variance was 4 to 158% larger"
)
PRINTED: Final = (
    "With doubt = 0, the paper as printed, an OPT stops asking where the first labels agree: accuracy came out up to "
    "{bias} points too high, and 95% intervals held the truth in {low} to {high}% of cycles; doubt = 1 keeps it asking"
)
DOUBTING: Final = (
    "Both OPTs let labels decide how many there are: with doubt = 1 accuracy came out up to .4 points too high, and "
    "95% intervals held the truth in 91 to 94% of cycles"
)


def warnings_of(allocation: str, doubt: float) -> tuple[str, ...]:
    """Whole sentences."""
    if allocation == "PRO":
        return (INTERVAL,)
    if allocation == "EQU":
        return (INTERVAL, EQUAL)
    if doubt > 0:
        return (DOUBTING,)
    bias, low, high = ("2.2", 26, 71) if allocation == "OPT-A1" else ("4.7", 9, 33)
    return (PRINTED.format(bias=bias, low=low, high=high),)
