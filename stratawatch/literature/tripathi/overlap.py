"""How the items that two classifiers call positive overlap."""

from dataclasses import dataclass

from stratawatch.errors import StratawatchError


@dataclass(frozen=True)
class Overlap:
    """|A_P|, |A_C| and the items of both: parent, child, both.

    >>> overlap = Overlap(parent=200, child=100, both=80)
    >>> overlap.parent_ratio, overlap.child_ratio, overlap.outside
    (0.4, 0.8, 20)
    """

    parent: int
    child: int
    both: int

    def __post_init__(self) -> None:
        if not 0 <= self.both <= min(self.parent, self.child):
            raise StratawatchError(
                "two sets cannot overlap like this",
                expected=f"0 to {min(self.parent, self.child)} items in both",
                got=str(self.both),
            )

    @property
    def parent_ratio(self) -> float:
        """PIR, the part of A_P that the child calls positive too; 0 where the parent calls nothing."""
        return self.both / self.parent if self.parent else 0.0

    @property
    def child_ratio(self) -> float:
        """CIR, the part of A_C that the parent calls positive too; 0 where the child calls nothing."""
        return self.both / self.child if self.child else 0.0

    @property
    def outside(self) -> int:
        """Items of A_C - A_P."""
        return self.child - self.both
