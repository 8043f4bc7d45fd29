"""Computing once what many plans ask of the same cells."""

from collections.abc import Callable, Hashable
from functools import cached_property
from typing import Any, TypeVar

Made = TypeVar("Made")


class IdentityMemo:
    """An unchanging object that keeps what was made of it and of another one, for as long as it lives itself.

    >>> one, other, made = IdentityMemo(), object(), []
    >>> for _ in range(3):
    ...     one.memoised("a list", other, lambda: made.append("made"))
    >>> made
    ['made']
    """

    @cached_property
    def _kept(self) -> dict[Hashable, tuple[object, Any]]:
        return {}

    def memoised(self, what: Hashable, beside: object, make: Callable[[], Made]) -> Made:
        """What was made of this object beside that very other one before; else it is made now."""
        kept = self._kept.get(what)
        if kept is None or kept[0] is not beside:
            kept = self._kept[what] = (beside, make())
        made: Made = kept[1]
        return made
