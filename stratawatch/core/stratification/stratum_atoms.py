"""Strata as people are shown them: which patterns each unites, and how many items it holds."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from stratawatch.core.population import Atom

_NAMED: Final = 3


@dataclass(frozen=True)
class StratumAtoms:
    """A union of atoms that is drawn as one stratum."""

    atoms: tuple[Atom, ...]

    @property
    def items(self) -> int:
        """N_h, the number of its items."""
        return sum(atom.size for atom in self.atoms)

    @property
    def mean_score(self) -> float | None:
        """The mean linked score of the items that have one; None when none has."""
        scored = [(atom.size, atom.mean_score) for atom in self.atoms if atom.mean_score is not None]
        items = sum(size for size, _ in scored)
        return sum(size * score for size, score in scored) / items if items else None

    @property
    def patterns(self) -> tuple[str, ...]:
        """Its patterns, the largest first."""
        sizes: Counter[str] = Counter()
        for atom in self.atoms:
            sizes[atom.pattern] += atom.size
        return tuple(sorted(sizes, key=lambda pattern: (-sizes[pattern], pattern)))

    @property
    def pattern_text(self) -> str:
        """Its largest patterns in words, as many as one can take in.

        >>> StratumAtoms((Atom("10", 0, 31, 9, 0.1), Atom("01", 0, 9, 20, 0.2))).pattern_text
        '01, 10'
        """
        more = len(self.patterns) - _NAMED
        return ", ".join(self.patterns[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def atoms_by_stratum(atoms: Sequence[Atom]) -> tuple[StratumAtoms, ...]:
    """The strata of a design, by their numbers."""
    found: list[list[Atom]] = [[] for _ in range(max((atom.stratum for atom in atoms), default=-1) + 1)]
    for atom in atoms:
        found[atom.stratum].append(atom)
    return tuple(StratumAtoms(tuple(united)) for united in found)
