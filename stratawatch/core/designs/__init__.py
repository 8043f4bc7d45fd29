"""Designs by name: a new one is one file here and one line in the table."""

from collections.abc import Mapping
from typing import Final

from stratawatch.core.designs.joint import Joint
from stratawatch.core.designs.kind import Kind
from stratawatch.core.designs.srs import Srs
from stratawatch.errors import StratawatchError

DESIGNS: Final[Mapping[str, Kind]] = {
    "joint": Joint(),
    "srs": Srs(),
}


def design_named(name: str) -> Kind:
    """The design of this name."""
    if name not in DESIGNS:
        raise StratawatchError(f"there is no design '{name}'", expected=f"one of {', '.join(DESIGNS)}")
    return DESIGNS[name]
