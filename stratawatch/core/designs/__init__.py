"""Designs by name: a new one is one file and one line in the table."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final

from stratawatch.core.designs.base import SamplingDesign
from stratawatch.core.designs.design_options import design_with_options
from stratawatch.core.goals import SurveySpec
from stratawatch.errors import StratawatchError

DESIGNS: Final[Mapping[str, str]] = {
    "joint": "stratawatch.core.designs.joint:JointDesign",
    "srs": "stratawatch.core.designs.srs:SimpleRandomSampling",
    "kumar": "stratawatch.literature.kumar.kumar_design:KumarDesign",
    "bennett": "stratawatch.literature.bennett.bennett_design:BennettDesign",
    "tripathi": "stratawatch.literature.tripathi.tripathi_design:TripathiDesign",
}
"""The module and class of each design, loaded when it is first used: those of the literature stand above the core."""


def design_named(name: str, options: Mapping[str, Any] | None = None) -> SamplingDesign:
    """The design of this name with these options."""
    return design_with_options(design_class(name), options or {})


def design_class(name: str) -> type[SamplingDesign]:
    """The class of the design of this name."""
    if name not in DESIGNS:
        raise StratawatchError(f"there is no design '{name}'", expected=f"one of {', '.join(DESIGNS)}")
    module, _, member = DESIGNS[name].partition(":")
    found: type[SamplingDesign] = getattr(import_module(module), member)
    return found


def design_of(survey: SurveySpec) -> SamplingDesign:
    """The design that a survey asks for."""
    return design_named(survey.design, survey.options)


def who_plans_for_goals() -> str:
    """The designs that know how many labels goals need, as a hint."""
    names = [f'design = "{name}"' for name in DESIGNS if design_class(name).plans_for_goals]
    return f"only {' and '.join(names)} can go on until goals hold"
