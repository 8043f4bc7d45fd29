"""The numbers and moments of a tree of dataclasses, by their type and as they stand in one."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from datetime import datetime, timedelta
from functools import cache
from typing import Any, NamedTuple, get_args, get_type_hints

NUMBERS = (int, float, datetime)


class Leaf(NamedTuple):
    """A number: where it stands, the class and field that hold it, and the number, or None where there may be one."""

    path: str
    owner: str
    value: Any


@cache
def number_fields(root: type) -> set[str]:
    """`Class.field` of every field that may hold a number, of a dataclass and all that its fields may hold."""
    found: set[str] = set()
    met: set[type] = set()

    def meet(kind: type) -> None:
        if kind in met:
            return
        met.add(kind)
        for name, hint in get_type_hints(kind).items():
            if name not in {one.name for one in fields(kind)}:
                continue
            kinds = set(_kinds(hint))
            if kinds & set(NUMBERS):
                found.add(f"{kind.__name__}.{name}")
            for one in kinds:
                if is_dataclass(one):
                    meet(one)

    meet(root)
    return found


def leaves(thing: Any, path: str = "") -> Iterator[Leaf]:
    """Every number of an instance, and None where a field may hold one and does not."""
    numeric = number_fields(type(thing)) if is_dataclass(thing) else set()
    if isinstance(thing, tuple):
        for number, one in enumerate(thing):
            yield from leaves(one, f"{path}[{number}]")
        return
    for one in fields(thing) if is_dataclass(thing) else ():
        value, owner = getattr(thing, one.name), f"{type(thing).__name__}.{one.name}"
        here = f"{path}.{one.name}" if path else one.name
        if owner in numeric and (value is None or isinstance(value, NUMBERS)) and not isinstance(value, bool):
            yield Leaf(here, owner, value)
        elif owner in numeric and isinstance(value, tuple):
            yield from (Leaf(f"{here}[{number}]", owner, each) for number, each in enumerate(value))
        else:
            yield from leaves(value, here)


def changed(thing: Any) -> Any:
    """An instance with every number and moment a little more."""
    if isinstance(thing, bool):
        return thing
    if isinstance(thing, datetime):
        return thing + timedelta(minutes=1)
    if isinstance(thing, int | float):
        return thing + 1 if isinstance(thing, int) else thing + 1e-6
    if isinstance(thing, tuple):
        return tuple(changed(one) for one in thing)
    if is_dataclass(thing) and not isinstance(thing, type):
        return replace(thing, **{one.name: changed(getattr(thing, one.name)) for one in fields(thing) if one.init})
    return thing


def numbers_by_path(tree: Any, path: str = "") -> dict[str, Any]:
    """The numbers of nested mappings and lists, by the paths that `leaves` would give them."""
    if isinstance(tree, dict):
        each = [numbers_by_path(one, f"{path}.{name}" if path else name) for name, one in tree.items()]
    elif isinstance(tree, list):
        each = [numbers_by_path(one, f"{path}[{number}]") for number, one in enumerate(tree)]
    else:
        return {path: tree}
    return {name: value for several in each for name, value in several.items()}


def _kinds(hint: Any) -> Iterator[type]:
    several = get_args(hint)
    if several:
        for one in several:
            yield from _kinds(one)
    else:
        yield hint
