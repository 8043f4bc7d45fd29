"""What a fall costs in counts: wrong flags or misses in a window, and above what is usual since it began."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from stratawatch.core.alarms.harm import WrongCalls, mean_number, more_than_before
from stratawatch.core.alarms.moved import MOST_WINDOWS, ValueInterval
from stratawatch.core.estimate import Estimate, IntervalEstimate
from stratawatch.core.estimation.mean_of_windows import shared_label_factor
from stratawatch.core.population import NEGATIVE, POSITIVE
from stratawatch.engine.evidence.like_windows import windows_around
from stratawatch.engine.model.alarm_records import StreamKey
from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.model.panel_spec import CallCosts, PanelSpec
from stratawatch.engine.ports.transaction import Transaction
from stratawatch.formatting import about_count, count, count_text, printable, this_window

_WRONG_FLAGS: Final = (POSITIVE, "precision", "wrong flags", "flags")
_OMISSIONS: Final = (NEGATIVE, "false_omission_rate", "misses", "items that it passed")
_KINDS: Final = {
    "precision": _WRONG_FLAGS,
    "specificity": _WRONG_FLAGS,
    "recall": _OMISSIONS,
    "false_omission_rate": _OMISSIONS,
    "negative_predictive_value": _OMISSIONS,
}
"""By metric: which calls do harm, the metric that says how many are wrong, and what wrong ones and all are called."""
_SMALL: Final = 10
_COSTS: Final = {"wrong flags": "wrong_flag", "misses": "miss"}
"""By their name: what the configuration calls the cost of one."""


@dataclass(frozen=True)
class Harm:
    """The wrong calls of windows before a fall, and from it on, oldest first."""

    name: str
    calls: str
    before: Sequence[WrongCalls]
    since: Sequence[WrongCalls]
    variance_factor: float
    unit: str
    costs: CallCosts | None = None
    is_newest: bool = True

    @property
    def line(self) -> str:
        """How many calls of the newest window are wrong, what is usual, and what came on top of that since the fall."""
        newest = self.since[-1]
        of = f"{self._this}, of {count(newest.calls)} {self.calls}"
        return self._beside_usual(f"Harm: about {_number(newest.number, self.name)} {of}", about_count, self.total)

    @property
    def cost_line(self) -> str:
        """The same in money, or what the configuration counts costs in; empty where it says nothing."""
        each = self._cost_of_one
        if each is None:
            return ""
        value, low, high = _times(each, self.since[-1].number)
        text = f"Cost: about {value} {self._money} {self._this} ({low} to {high}), at {_amount(each)} each"
        return self._beside_usual(text, lambda number: _about(each * number), self.total_cost)

    @property
    def total_cost(self) -> str:
        """What came on top of the usual costs since the fall; empty where that, or the cost of one, is not known."""
        each = self._cost_of_one
        if each is None or not self.before or not self.since:
            return ""
        value, low, high = _times(each, more_than_before(self.since, self.before, self.variance_factor))
        windows = count_text(len(self.since), self.unit)
        return f"about {value} {self._money} more than usual ({low} to {high}) in {windows}."

    def _beside_usual(self, text: str, told: Callable[[float], str], total: str) -> str:
        """What is said of the newest window, what is usual, and the total where there are several windows."""
        if not self.before:
            return f"{text}."
        text += f"; a usual {self.unit} has {told(mean_number(self.before).value)}."
        so_far = "So far" if self.is_newest else "Until then"
        return f"{text} {so_far} {total}" if len(self.since) > 1 else text

    @property
    def _this(self) -> str:
        return this_window(self.unit, is_newest=self.is_newest)

    @property
    def _cost_of_one(self) -> float | None:
        found = None if self.costs is None else getattr(self.costs, _COSTS[self.name])
        return None if found is None else float(found)

    @property
    def _money(self) -> str:
        return "" if self.costs is None else printable(self.costs.unit)

    @property
    def short(self) -> str:
        """How many calls of the newest window are wrong, and what is usual, in a few words."""
        usual = f", usually {about_count(mean_number(self.before).value)}" if self.before else ""
        return f"about {_number(self.since[-1].number, self.name)}{usual}"

    @property
    def more_now(self) -> float:
        """How many more are wrong in the newest window than usual; all of them where nothing says what is usual."""
        usual = mean_number(self.before).value if self.before else 0.0
        return max(self.since[-1].number.value - usual, 0.0)

    @property
    def total(self) -> str:
        """What came on top of the usual in all windows since the fall; empty where nothing says what is usual."""
        if not self.before or not self.since:
            return ""
        more = more_than_before(self.since, self.before, self.variance_factor)
        windows = count_text(len(self.since), self.unit)
        return f"about {_number(more, f'more {self.name} than usual')} in {windows}."


def harm(
    tx: Transaction,
    spec: PanelSpec,
    cycle: Cycle,
    key: StreamKey,
    since: datetime,
    *,
    ended: datetime | None = None,
    is_newest: bool = True,
) -> Harm | None:
    """The harm of a stream's fall since a window's start; None where counts of it are not known.

    It goes up to a cycle and counts that too, or where it is over, the windows before the one in which it `ended`.

    Windows without an estimate are left out, and so are those with another question or the classifier by another rule.
    """
    letter, metric, name, calls = _KINDS.get(key.metric, ("", "", "", ""))
    around = windows_around(tx, spec, cycle, key.classifier, since)
    after = [one for one in (*around.since, cycle) if ended is None or one.window.start < ended]
    if not (name and after):
        return None
    periods = [one.period for one in (*around.before, *after)]
    stream = replace(key, metric=metric)
    found = {
        one.period: one.estimate
        for one in tx.estimates.in_periods(spec.name, min(periods), max(periods), [metric], [key.segment])
        if _is_of(one.estimate, stream)
    }

    def wrong_calls(several: Sequence[Cycle]) -> list[WrongCalls]:
        return [
            WrongCalls(_calls(tx, one, key, letter), share)
            for one in several
            if one.period in found and (share := _wrong_share(found[one.period]))
        ]

    if cycle.period not in found and ended is None:
        return None
    before, later = wrong_calls(around.before[-MOST_WINDOWS:]), wrong_calls(after)
    if not later:
        return None
    first_use = _first_use(tx, cycle)
    shared = shared_label_factor(max(len(later), len(before)), first_use)
    return Harm(name, calls, before, later, shared, spec.windows.unit, spec.costs, is_newest)


def _times(each: float, found: ValueInterval) -> tuple[str, str, str]:
    """What so many wrong calls cost, in words."""
    value, low, high = (_about(each * end) for end in (found.value, found.low, found.high))
    return value, low, high


def _about(amount: float) -> str:
    """An amount that is estimated: small ones with a decimal, as they may be of hours.

    >>> _about(0.42), _about(5234.0)
    ('0.4', '5,230')
    """
    return f"{amount:.1f}" if abs(amount) < _SMALL else about_count(amount)


def _amount(exact: float) -> str:
    """What one costs, as it was written.

    >>> _amount(1_000_000.0), _amount(2.5), _amount(0.0015)
    ('1,000,000', '2.5', '0.0015')
    """
    return f"{exact:,.6f}".rstrip("0").rstrip(".")


def _number(found: ValueInterval, name: str) -> str:
    value, low, high = (about_count(end) for end in (found.value, found.low, found.high))
    return f"{value} {name} ({low} to {high})"


def _is_of(estimate: Estimate, key: StreamKey) -> bool:
    segment = str(estimate.segment) if estimate.segment else None
    return (estimate.classifier, estimate.metric, segment) == (key.classifier, key.metric, key.segment)


def _wrong_share(estimate: Estimate) -> IntervalEstimate | None:
    """The share of the calls that is wrong, with its interval."""
    found = estimate.result
    if not isinstance(found, IntervalEstimate):
        return None
    if estimate.metric == "precision":
        return IntervalEstimate(1 - found.value, 1 - found.high, 1 - found.low, found.n_eff)
    return found


def _calls(tx: Transaction, cycle: Cycle, key: StreamKey, letter: str) -> float:
    """Items of a window, or of a stream's segment of it, that its classifier calls so."""
    place = tx.panels.get(cycle.panel_version).place_of(key.classifier)
    return sum(
        atom.size if key.segment is None else sum(n for name, n in atom.segments.items() if str(name) == key.segment)
        for atom in tx.cycles.atoms(cycle.id)
        if atom.pattern[place] == letter
    )


def _first_use(tx: Transaction, cycle: Cycle) -> float:
    draws = tx.rounds.draws(cycle.id)
    first = sum(not draw.reused if draw.first_use is None else draw.first_use for draw in draws)
    return first / len(draws) if draws else 1.0
