"""The items that a cycle drew, with the round that drew each: estimates join the rounds by it."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass


@dataclass(frozen=True, eq=False)
class DrawnItems(AbstractSet[str]):
    """A set of item ids that knows the round of each, from 0; it equals any set of the same items.

    >>> drawn = DrawnItems.of_rounds([["a", "b"], ["c"]])
    >>> "c" in drawn, drawn.round_of["c"], drawn.by_round, drawn == {"a", "b", "c"}
    (True, 1, (('a', 'b'), ('c',)), True)
    """

    round_of: Mapping[str, int]

    @classmethod
    def of_rounds(cls, rounds: Iterable[Iterable[str]]) -> "DrawnItems":
        """The items that each round drew, in the order of the rounds."""
        return cls({item: ordinal for ordinal, items in enumerate(rounds) for item in items})

    @classmethod
    def of(cls, drawn: Collection[str]) -> "DrawnItems":
        """Drawn items as they are; those of which nothing else is known were drawn in one round."""
        return drawn if isinstance(drawn, DrawnItems) else cls(dict.fromkeys(drawn, 0))

    @property
    def by_round(self) -> tuple[tuple[str, ...], ...]:
        """The items of each round that drew any."""
        found: dict[int, list[str]] = {}
        for item, ordinal in self.round_of.items():
            found.setdefault(ordinal, []).append(item)
        return tuple(tuple(found[ordinal]) for ordinal in sorted(found))

    def __contains__(self, item: object) -> bool:
        return item in self.round_of

    def __iter__(self) -> Iterator[str]:
        return iter(self.round_of)

    def __len__(self) -> int:
        return len(self.round_of)

    @classmethod
    def _from_iterable(cls, items: Iterable[str]) -> frozenset[str]:  # type: ignore[override]
        """Unions and differences are plain sets."""
        return frozenset(items)
