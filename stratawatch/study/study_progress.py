"""The progress of a study: its rounds, and its labels."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import sha256

from stratawatch.core.drawn_items import DrawnItems
from stratawatch.core.plan import Plan
from stratawatch.core.verdicts import Verdict


@dataclass(frozen=True)
class StudyRound:
    """The items that a round added to the draw; people are asked about those without a label, in this order."""

    plan: Plan
    added: tuple[str, ...]
    asked: tuple[str, ...]


@dataclass
class StudyProgress:
    """Rounds and labels so far; `past_labels` are those that history brought."""

    past_labels: dict[str, Verdict]
    rounds: list[StudyRound] = field(default_factory=list)
    labels: dict[str, Verdict] = field(default_factory=dict)
    done: bool = False

    @property
    def asked(self) -> frozenset[str]:
        """Items that people were asked about."""
        return frozenset(item for one in self.rounds for item in one.asked)

    @property
    def drawn(self) -> DrawnItems:
        """Items drawn in all rounds."""
        return drawn_in(self.rounds)

    @property
    def reused(self) -> frozenset[str]:
        """Drawn items whose label history brought."""
        return frozenset(self.drawn - self.asked)

    @property
    def open(self) -> list[str]:
        """Items without a label, in the order of asking."""
        return [item for one in self.rounds for item in one.asked if item not in self.labels]

    @property
    def closed(self) -> list[StudyRound]:
        """Rounds whose items all have their labels."""
        return [one for one in self.rounds if all(item in self.labels for item in one.asked)]

    @property
    def verdicts(self) -> dict[str, Verdict]:
        """The labels of all items; those of this study outrank history's."""
        return {**self.past_labels, **self.labels}


def drawn_in(rounds: Iterable[StudyRound]) -> DrawnItems:
    """Items that these rounds drew."""
    return DrawnItems.of_rounds(one.added for one in rounds)


def shuffled(seed: str, items: Iterable[str]) -> tuple[str, ...]:
    """An order from which neither stratum nor random number can be guessed.

    >>> shuffled("7", ["a", "b", "c"])
    ('c', 'a', 'b')
    """
    return tuple(sorted(items, key=lambda item: sha256(f"{seed}\0order\0{item}".encode()).hexdigest()))
