"""Designs by name: a new one is one file here and one line in the table."""

from collections.abc import Mapping
from typing import Any, Final

from stratawatch.core.designs.bennett import Bennett
from stratawatch.core.designs.joint import Joint
from stratawatch.core.designs.kind import Kind
from stratawatch.core.designs.kumar import Kumar
from stratawatch.core.designs.options import configured
from stratawatch.core.designs.srs import Srs
from stratawatch.core.designs.tripathi import Tripathi
from stratawatch.core.results import Commission
from stratawatch.errors import StratawatchError

DESIGNS: Final[Mapping[str, type[Kind]]] = {
    "joint": Joint,
    "srs": Srs,
    "kumar": Kumar,
    "bennett": Bennett,
    "tripathi": Tripathi,
}


def design_named(name: str, options: Mapping[str, Any] | None = None) -> Kind:
    """The design of this name with these options."""
    if name not in DESIGNS:
        raise StratawatchError(f"there is no design '{name}'", expected=f"one of {', '.join(DESIGNS)}")
    return configured(DESIGNS[name], options or {})


def design_of(commission: Commission) -> Kind:
    """The design that a commission asks for."""
    return design_named(commission.design, commission.options)
