"""What became of forecasts: how many half-widths of the last plans came out inside their range. Without NumPy."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from stratawatch.formatting import count_text

LEAST_CAME: Final = 0.9
"""The part of a plan's labels that must have come: with fewer, wider intervals would say nothing of its forecast."""


@dataclass(frozen=True)
class CheckedForecast:
    """One window's forecast beside what came: half-widths inside their range, wider than it, and narrower.

    A metric that could not be told counts as wider. `labels_came` of `labels_planned` had a yes or no.
    """

    cycle: int
    inside: int
    wider: int
    narrower: int
    labels_came: int
    labels_planned: int

    @property
    def is_left_out(self) -> bool:
        """Whether too few of the plan's labels came to tell anything of its forecast."""
        return self.labels_came < LEAST_CAME * self.labels_planned


@dataclass(frozen=True)
class ForecastRecord:
    """The last plans whose forecasts were ranges, those that are left out included, oldest window first."""

    plans: tuple[CheckedForecast, ...]

    @property
    def counted(self) -> tuple[CheckedForecast, ...]:
        """The plans that tell something of forecasts."""
        return tuple(one for one in self.plans if not one.is_left_out)

    @property
    def left_out(self) -> int:
        """How many plans are left out."""
        return len(self.plans) - len(self.counted)

    @property
    def sums(self) -> dict[str, int]:
        """Half-widths of the plans that count: all of them, and how many came out where.

        >>> ForecastRecord((CheckedForecast(7, 83, 9, 4, 900, 900),)).sums
        {'half_widths': 96, 'inside': 83, 'wider': 9, 'narrower': 4}
        """
        places = ("inside", "wider", "narrower")
        found = {place: sum(getattr(one, place) for one in self.counted) for place in places}
        return {"half_widths": sum(found.values()), **found}

    @property
    def sentence(self) -> str:
        """What was forecast and what came, in words.

        >>> ForecastRecord((CheckedForecast(7, 5, 1, 0, 900, 900),)).sentence.partition(" (")[0]
        'Forecast of the last plan: 5 of 6 intervals came out as wide as forecast'
        """
        plans, sums = len(self.counted), self.sums
        if not plans:
            several = self.left_out > 1
            whose = f"Forecasts of the last {self.left_out} plans" if several else "The forecast of the last plan"
            return f"{whose} cannot be checked: fewer than nine in ten of {'their' if several else 'its'} labels came."
        whose = f"Forecasts of the last {plans} plans" if plans > 1 else "Forecast of the last plan"
        of_all = f"{sums['inside']:,} of {count_text(sums['half_widths'], 'interval')}"
        outside = " and ".join(f"{sums[place]:,} {place}" for place in ("wider", "narrower") if sums[place])
        said = f"{whose}: {of_all} came out as wide as forecast (four of five should){outside and f', {outside}'}."
        return f"{said} {self._left_out_text}" if self.left_out else said

    @property
    def _left_out_text(self) -> str:
        several = self.left_out > 1
        plans = f"{count_text(self.left_out, 'more plan')} {'are' if several else 'is'} left out"
        return f"{plans}: fewer than nine in ten of {'their' if several else 'its'} labels came."


def record_document(record: ForecastRecord) -> dict[str, Any]:
    """The record as JSON values: the sums over the plans that count, its sentence, and every plan."""
    return {
        "plans": len(record.counted),
        "left_out": record.left_out,
        **record.sums,
        "sentence": record.sentence,
        "windows": [{**asdict(one), "left_out": one.is_left_out} for one in record.plans],
    }


def kept_record(panel: str, plans: tuple[CheckedForecast, ...]) -> dict[str, Any]:
    """What is kept of a panel's plans."""
    return {"panel": panel, "plans": [asdict(one) for one in plans]}


def plans_from(position: Mapping[str, Any]) -> tuple[CheckedForecast, ...]:
    """The plans that were kept of a panel."""
    return tuple(CheckedForecast(**one) for one in position.get("plans", ()))


def record_from(position: Mapping[str, Any]) -> ForecastRecord | None:
    """The record that was kept of a panel; None before there is a judged plan with ranges."""
    plans = plans_from(position)
    return ForecastRecord(plans) if plans else None
