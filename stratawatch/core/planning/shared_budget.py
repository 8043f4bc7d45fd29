"""Share one budget out over several claims: floors first, then what goals need, then what each may have at most.

Within each of the three, claims of a higher priority come first, and of the same priority those at risk. Claims that
stand alike are raised to one level, as far as each may go; what cannot be divided goes by name.

The rule is consistent: when one claim takes its share and leaves, the shares of the others do not change. So it does
not matter which of them is decided first.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby


@dataclass(frozen=True)
class Claim:
    """What a cycle may have of a shared budget: a floor, what its goals need, and the most."""

    name: str
    floor: int
    need: int
    most: int
    priority: int = 0
    at_risk: bool = False


def share_out(labels: int, claims: Iterable[Claim]) -> dict[str, int]:
    """The labels of each claim by name: never more than its most, together never more than there are.

    >>> calm, risky = Claim("calm", 100, 400, 600), Claim("risky", 100, 500, 600, at_risk=True)
    >>> share_out(900, [calm, risky])
    {'calm': 400, 'risky': 500}
    >>> share_out(700, [calm, risky])
    {'calm': 200, 'risky': 500}
    """
    ranked = sorted(claims, key=lambda one: (*_rank(one), one.name))
    alike = [list(several) for _, several in groupby(ranked, _rank)]
    shares = {one.name: 0 for one in sorted(ranked, key=lambda one: one.name)}
    for stage in (_floor, _needed, _most):
        for several in alike:
            raised = _raised(labels, shares, {one.name: stage(one) for one in several})
            labels -= sum(raised[name] - shares[name] for name in raised)
            shares |= raised
    return shares


def _rank(claim: Claim) -> tuple[int, bool]:
    return -claim.priority, not claim.at_risk


def _floor(claim: Claim) -> int:
    return min(claim.floor, claim.most)


def _needed(claim: Claim) -> int:
    return min(max(claim.need, claim.floor), claim.most)


def _most(claim: Claim) -> int:
    return claim.most


def _raised(labels: int, shares: Mapping[str, int], caps: Mapping[str, int]) -> dict[str, int]:
    """Shares raised to the highest level that the labels pay for, each to its cap at most."""

    def at(level: int) -> dict[str, int]:
        return {name: max(shares[name], min(level, cap)) for name, cap in caps.items()}

    def cost(level: int) -> int:
        return sum(share - shares[name] for name, share in at(level).items())

    low, high = 0, max(caps.values()) + 1  # the cost rises with the level: `low` can be paid
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if cost(middle) <= labels else (low, middle)
    raised, left = at(low), max(labels - cost(low), 0)
    for name in _not_full(raised, caps, low)[:left]:
        raised[name] += 1
    return raised


def _not_full(shares: Mapping[str, int], caps: Mapping[str, int], level: int) -> Sequence[str]:
    """Those at the level that may have more, by name."""
    return sorted(name for name, share in shares.items() if share == level < caps[name])
