"""Looking back: what is known today of earlier rounds, worked out for those that someone asks about."""

from collections.abc import Callable, Sequence
from typing import overload

from stratawatch.core.labelled_sample import LabelledSample


class EarlierRounds(Sequence[LabelledSample]):
    """The items that each earlier round had drawn, cumulative. Long cycles have hundreds of rounds and ask for a few.

    >>> rounds = EarlierRounds(3, lambda place: print("round", place))
    >>> _ = rounds[-1:]
    round 2
    """

    def __init__(self, count: int, told: Callable[[int], LabelledSample]) -> None:
        self._count, self._told = count, told

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, place: int) -> LabelledSample: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[LabelledSample]: ...

    def __getitem__(self, place: int | slice) -> LabelledSample | Sequence[LabelledSample]:
        """One round, or some of them."""
        found = range(self._count)[place]
        return self._told(found) if isinstance(found, int) else [self._told(one) for one in found]
