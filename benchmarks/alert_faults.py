"""Pages through channels that fail: who hears of an incident, and of its end, whatever happens in between.

`python -m benchmarks.alert_faults [--faults N]` opens and ends incidents while faults are injected: a channel is down,
slow or answers 503, takes a message twice, the process is killed before a send or between a send and its receipt, or
before a judgement is committed, and an Alertmanager is started anew without data. Adapters are the real ones. Receivers
are those of the channels' contract: servers on this machine that check what the services document, and a mail server.
A slow channel takes a message and is given up as after its time limit; nobody waits for it here.

Beside them a panel gathers evidence while its process is killed behind it, behind the page, before both are committed,
and around a send: what is kept in the end is compared with a life without deaths. Two channels that are wrong on
purpose, and evidence that is kept before its page, show that the counts would notice.
"""

import argparse
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np

from benchmarks.alert_faults_evidence import POINTS, Life, differences, live
from benchmarks.alert_faults_world import FAULTS, LEVEL, OF_JUDGEMENTS, OF_LEVELS, Faults, World
from benchmarks.shape import Options, Result, Row, Verdict, main
from stratawatch.adapters.alerts.alert_text import incident_name
from stratawatch.engine.model.alarm_records import Incident
from tests.support.notices import notice

NUMBER, QUICK_NUMBER, OF_A_CONTROL = 1000, 100, 60
AT_ONCE: Final = 0.01
"""How often an incident ends in a round before every channel was told of it, as few weeks would let it."""
WRONG_LEVELS: Final = "at Alertmanager and not open, or the other way"
WRONG_EVENTS: Final = "at PagerDuty and not open, or the other way"
LIVES, QUICK_LIVES = 3, 1
"""Panels whose process is killed; each has some fifty deaths."""
NOTICING: Final = ("webhook", "prefect_event")
"""Receivers that keep a message once that came twice."""


@dataclass(frozen=True)
class ChannelTally:
    """What the receivers of one channel heard."""

    channel: str
    lasting: int
    complete: int
    left_open: int
    unheard: int
    again: int

    def row(self) -> Row:
        """A line of the table."""
        return {
            "channel": self.channel,
            "incidents that lasted": self.lasting,
            "opened, told, resolved": self.complete,
            "left open": self.left_open,
            "over before it heard": self.unheard,
            "further messages": self.again,
        }


def play(number: int, seed: int, control: str = "") -> tuple[World, list[ChannelTally], dict[str, int]]:
    """Open and end incidents until so many faults were injected; what every channel heard once nothing fails."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="alert-faults-")))
        faults = Faults(number, np.random.default_rng(seed))
        world = World(folder, faults, stack, control)
        lasted: set[str] = set()
        while faults.left > 0:
            _judge(world, lasted)
            world.advance()
        world.drain()
        open_now = [one for one in world.incidents() if one.resolved_at is None]
        lasted |= {one.dedup_key for one in open_now}
        tallies = [_tally(world, channel, lasted) for channel in world.backends]
        names = {incident_name(notice(dedup_key=one.dedup_key)) for one in open_now}
        checks = {
            "faults": faults.injected.total(),
            "incidents": len({one.dedup_key for one in world.incidents()}),
            WRONG_LEVELS: len(names ^ {*world.backends[LEVEL].firing()}),
            WRONG_EVENTS: len(names ^ world.backends["pagerduty"].open),
        }
        return world, tallies, checks


def _judge(world: World, lasted: set[str]) -> None:
    """Breach some streams that are fine, or let them go blind, and end what all channels were told of, and others."""
    rng, waiting = world.faults.rng, world.waiting()
    open_now = [one for one in world.incidents() if one.resolved_at is None]
    of_stream: dict[object, list[Incident]] = {}
    for one in open_now:
        of_stream.setdefault(one.key, []).append(one)
    fine = [key for key in world.streams() if key not in of_stream]
    over = []
    for key, incidents in of_stream.items():
        is_told = all(one.dedup_key not in waiting for one in incidents)
        if rng.random() < (0.5 if is_told else AT_ONCE):
            over.append(key)
            lasted |= {one.dedup_key for one in incidents if is_told}
    chosen = [key for key in fine if rng.random() < 0.15]
    goes_blind = rng.random() < 0.2
    world.judge([] if goes_blind else chosen, over, chosen if goes_blind else [])  # type: ignore[arg-type]


def _tally(world: World, channel: str, lasted: set[str]) -> ChannelTally:
    heard = world.heard(channel)
    ends: dict[str, bool] = {}
    for one in world.incidents():
        ends[one.dedup_key] = ends.get(one.dedup_key, True) and one.resolved_at is not None
    complete = [key for key in lasted if _is_complete(heard.get(key, []), is_over=ends[key])]
    left_open = [key for key, is_over in ends.items() if is_over and heard.get(key, ["end"])[-1] != "end"]
    unheard = [key for key in ends if key not in heard]
    again = sum(max(said.count("beginning") - 1, 0) + max(said.count("end") - 1, 0) for said in heard.values())
    return ChannelTally(channel, len(lasted), len(complete), len(left_open), len(unheard), again)


def _is_complete(said: Sequence[str], *, is_over: bool) -> bool:
    # A bot's post of the beginning is written over by the end, which it could not be without one.
    return ("end" in said and said[-1] == "end") if is_over else ("beginning" in said and "end" not in said)


def run(options: Options) -> Result:
    """Inject faults, and look at what was heard; then with channels that are known to be wrong."""
    number = options.given.faults or (QUICK_NUMBER if options.quick else NUMBER)
    began = time.monotonic()
    lives = [lives_of(f"{options.seed}-{life}") for life in range(QUICK_LIVES if options.quick else LIVES)]
    deaths = sum((dying.injected for _, dying in lives), Counter[str]())
    world, tallies, checks = play(max(number - deaths.total(), 1), options.seed)
    checks["faults"] += deaths.total()
    rows = [one.row() for one in tallies]
    rows += [{"fault": point, "injected": deaths[point]} for point in POINTS]
    rows += [{"fault": kind, "injected": world.faults.injected[kind]} for kind in (*FAULTS, OF_JUDGEMENTS, OF_LEVELS)]
    _, believed, _ = play(OF_A_CONTROL, options.seed, "credulous")
    _, forgotten, _ = play(OF_A_CONTROL, options.seed, "forgetful")
    parted = lives_of(f"{options.seed}-0", commits_early=True)
    rows.append({"incidents": checks["incidents"], "seconds": time.monotonic() - began})
    controls = [
        Verdict("a control that takes refusals for receipts is noticed", "must", missing(believed), 1, ">="),
        Verdict("a control that sends under new keys is noticed", "must", twice(forgotten), 1, ">="),
        Verdict("a control that keeps evidence before its page is noticed", "must", disturbed([parted]), 1, ">="),
    ]
    return Result(rows, [*verdicts(number, tallies, checks), *of_evidence(lives), *controls])


def lives_of(seed: str, *, commits_early: bool = False) -> tuple[Life, Life]:
    """The same weeks without deaths, and with them."""
    with TemporaryDirectory(prefix="alert-faults-") as one, TemporaryDirectory(prefix="alert-faults-") as other:
        return live(Path(one), seed, times=0), live(Path(other), seed, commits_early=commits_early)


def disturbed(lives: Sequence[tuple[Life, Life]]) -> int:
    """Of how many kinds deaths left something else behind."""
    return sum(differences(calm.kept, dying.kept) for calm, dying in lives)


def of_evidence(lives: Sequence[tuple[Life, Life]]) -> list[Verdict]:
    """The promises about evidence, states, incidents and what is told of them."""
    again = sum(differences(life.kept, life.judged_again) for pair in lives for life in pair)
    return [
        Verdict("kinds of records that deaths left otherwise", "must", disturbed(lives), 0, "<="),
        Verdict("kinds of records that judging ten times more changed", "must", again, 0, "<="),
    ]


def missing(tallies: Sequence[ChannelTally]) -> int:
    """Of how many lasting incidents a channel heard no beginning or no end."""
    return sum(one.lasting - one.complete for one in tallies)


def twice(tallies: Sequence[ChannelTally]) -> int:
    """How many messages came twice to receivers that notice."""
    return sum(one.again for one in tallies if one.channel in NOTICING)


def verdicts(number: int, tallies: Sequence[ChannelTally], checks: Mapping[str, int]) -> list[Verdict]:
    """The promises."""
    counts = {
        "lasting incidents of which a channel heard no beginning or no end": missing(tallies),
        "incidents that a receiver holds open after their end": sum(one.left_open for one in tallies),
        "messages twice at receivers that notice": twice(tallies),
        **{f"incidents {what}": checks[what] for what in (WRONG_LEVELS, WRONG_EVENTS)},
    }
    return [
        Verdict("faults injected", "must", checks["faults"], number, ">="),
        *(Verdict(what, "must", count, 0, "<=") for what, count in counts.items()),
    ]


def _own(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--faults", type=int, default=0, help=f"how many faults, instead of {NUMBER}")


if __name__ == "__main__":
    raise SystemExit(main("alert_faults", run, extra=_own))
