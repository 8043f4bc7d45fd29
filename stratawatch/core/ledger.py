"""The ledger: what people said about items, resolved."""

from collections.abc import Mapping
from dataclasses import dataclass

from stratawatch.core.results import Verdict


@dataclass(frozen=True)
class Ledger:
    """Verdicts by item id. An item that is missing has no answer yet."""

    verdicts: Mapping[str, Verdict]
