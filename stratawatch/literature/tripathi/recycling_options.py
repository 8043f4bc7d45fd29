"""The options of recycled samples."""

from dataclasses import dataclass

from stratawatch.errors import StratawatchError
from stratawatch.literature.tripathi.mixing import UNIFORM_SHUFFLE, mixing_named
from stratawatch.literature.tripathi.sample_size import sample_size


@dataclass(frozen=True)
class RecyclingOptions:
    """The options of recycled samples, which are those of the design.

    parent: a classifier ("": the one with which the panel needs the fewest labels). mixing: how recycled and fresh
    draws are mixed. at_least: the least precision that sample sizes are made for. omission_share: the share of the
    budget for items that the parent calls negative (0: recall is not estimated).
    """

    parent: str = ""
    mixing: str = UNIFORM_SHUFFLE
    at_least: float = 0.5
    omission_share: float = 0.5

    def __post_init__(self) -> None:
        mixing_named(self.mixing)
        sample_size(0.03, at_least=self.at_least)
        if not 0 <= self.omission_share < 1:
            raise StratawatchError(
                "'omission_share' must leave a part of the budget to precisions",
                expected="a number from 0 to below 1",
                got=str(self.omission_share),
            )
