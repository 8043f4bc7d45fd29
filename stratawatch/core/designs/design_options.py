"""A design's options: the fields of its class, filled from what people wrote."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, Final, get_args, get_type_hints

from stratawatch.core.designs.base import SamplingDesign
from stratawatch.errors import StratawatchError

MOST_STRATA: Final = 1_000
MOST_LABELS: Final = 1_000_000
"""The most that options may ask for: more strata than there are score bins, more labels than any budget."""
RENAMED: Final[Mapping[str, str]] = {"doubt": "pseudo_labels"}
"""Old names of options, which kept panels and saved studies hold, and what they are called now."""
ANOTHER_CLASSIFIER: Final = "name another classifier, or choose another design"
"""The hint where the named classifier has no call to draw items from."""
_WORDS: Final = {str: "a word", int: "a whole number", float: "a number", bool: "true or false"}


def design_with_options(kind: type[SamplingDesign], options: Mapping[str, Any]) -> SamplingDesign:
    """A design with these options and its defaults for the others; raises for unknown names and wrong types."""
    options = {RENAMED.get(name, name): value for name, value in options.items()}
    types = _types(kind)
    for name, value in options.items():
        if name not in types:
            raise StratawatchError(
                f"design = {kind.name!r} has no option {name!r}",
                expected=f"one of {', '.join(types)}" if types else "no options",
            )
        if type(value) not in _taken(types[name]):
            raise StratawatchError(
                f"option {name!r} of design = {kind.name!r} cannot be read",
                expected=_WORDS[types[name]],
                got=f"{value!r:.40}",
            )
    return kind(**{name: types[name](value) for name, value in options.items()})


def check_range(name: str, number: int, least: int, most: int) -> None:
    """Raise for a number of an option that is too small, or larger than anything that a cycle could hold."""
    if number < least:
        raise StratawatchError(f"option {name!r} is too small", expected=f"at least {least}", got=str(number))
    if number > most:
        raise StratawatchError(f"option {name!r} is too large", expected=f"at most {most:,}", got=f"{number:,}"[:40])


def classifier_index(name: str, classifiers: Sequence[str]) -> int:
    """The place of a named classifier among the panel's; the first without a name.

    >>> classifier_index("b", ["a", "b"]), classifier_index("", ["a", "b"])
    (1, 0)
    """
    if name and name not in classifiers:
        raise StratawatchError(f"there is no classifier {name!r}", expected=f"one of {', '.join(classifiers)}")
    return list(classifiers).index(name) if name else 0


def _types(kind: type[SamplingDesign]) -> dict[str, type]:
    """The options by name; of `float | None`, whose None stands for "not said", the first."""
    hints = get_type_hints(kind)
    named = (field.name for field in fields(kind))  # type: ignore[arg-type]  # kinds are dataclasses
    return {name: (get_args(hints[name]) or (hints[name],))[0] for name in named}


def _taken(option_type: type) -> tuple[type, ...]:
    return (int, float) if option_type is float else (option_type,)
