"""Weeks together: what is counted as held, and that a chain is read as the product reads it."""

import pytest

from benchmarks import weeks_together
from benchmarks.weeks_together import CHANGES, TOGETHER, Held, Task, simulated
from stratawatch.core.metrics import REPORTED


def held(what="4 weeks", *, covered=True, below=False) -> Held:
    return Held(what, "recall", covered, below, width=0.1, error=0.02, apart=True, width_apart=0.2)


def test_chains_count_alike_however_many_intervals_they_have():
    others = [held(what) for what in (*TOGETHER, *CHANGES)][1:]
    chains = [[held(covered=False)] * 3 + others, [held(), *others], [held(), *others]]
    (least, most) = (
        one for one in weeks_together._verdicts(0.5, chains, "must") if one.name.startswith("4 weeks, 50%")
    )
    assert (least.value, least.holds, most.holds) == (pytest.approx(2 / 3), False, True)


def test_rows_say_on_which_side_the_truth_was_missed(monkeypatch):
    monkeypatch.setattr(weeks_together, "REPORTED", ("recall",))
    chain = [one for what in (*TOGETHER, *CHANGES) for one in (held(what, covered=False, below=True), held(what))]
    row = next(iter(weeks_together._rows(0.0, [chain])))
    assert (row["held"], row["truth below"], row["half-width"]) == (0.5, 0.5, pytest.approx(10))


@pytest.mark.parametrize("share", [0.0, 0.9])
def test_a_chain_has_every_reading_of_every_goal(monkeypatch, share):
    monkeypatch.setattr(weeks_together, "ITEMS", 6000)
    monkeypatch.setattr(weeks_together, "LABELS", 300)
    (found,) = simulated(Task(share, range(1), 3))
    several = {what: len(places) for what, places in (*TOGETHER.items(), *CHANGES.items())}
    assert {what: sum(one.what == what for one in found) for what in several} == {
        what: 4 * len(REPORTED) * number for what, number in several.items()
    }
    assert sum(one.covered for one in found) > 0.8 * len(found)
    widths = [(one.width, one.width_apart) for one in found if one.what == "change of a week"]
    together, apart = map(sum, zip(*widths, strict=True))
    assert together == pytest.approx(apart) if not share else together < 0.8 * apart
