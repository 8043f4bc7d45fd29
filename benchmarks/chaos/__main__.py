"""SIGKILL at every commit, at every write to the queue and at random: nothing lost, nothing twice, the same end.

`python -m benchmarks.chaos --kills 100 --db sqlite`, `--kills 60 --db postgres`, `--kills 60 --queue page`,
`--kills 60 --queue broker --broker rabbitmq`; `--queue page --writes-only` takes half a minute;
`--flow-kills` of them hit the real Prefect flows (20 unless `--quick`). Controls with adapters that forget their keys
must show failures.
"""

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Final

from benchmarks.chaos.brokers import TOOLS, begin_broker
from benchmarks.chaos.campaign import Campaign
from benchmarks.chaos.children import EngineRunner, FlowRunner, preload
from benchmarks.chaos.controls import CONTROL_KILLS, DiesAgain, controls
from benchmarks.chaos.databases import databases
from benchmarks.chaos.faulter import Faulter
from benchmarks.chaos.faults import FAULTS, Fault
from benchmarks.chaos.faulty import forgetful_queue
from benchmarks.chaos.installation import PlayedStory
from benchmarks.chaos.killer import Killer, commit_sites, site_of
from benchmarks.chaos.label_studio import begin_label_studio
from benchmarks.chaos.services import prefect_server, receiver
from benchmarks.chaos.verdicts import (
    ENGINE,
    commits,
    coverage,
    innocence,
    queue_coverage,
    queue_writes,
    votes_given,
    web_coverage,
)
from benchmarks.chaos.world import BROKER, IN_FILES, LABEL_STUDIO, PLAIN, QUEUES, SHORT, TROUBLED
from benchmarks.shape import Options, Result, Verdict, main

FULL_KILLS: Final = 100
SPARE_KILLS: Final = 4
"""Kills anywhere, beside one at every commit point: fewer do not hold."""
FLOW_KILLS: Final = 20
FLOW_KILLS_A_MOMENT: Final = 3
TERMINATIONS: Final = 0.25
FULL_FAULTS: Final = 60
QUICK_FAULTS: Final = 20
MANY_FAULTS: Final = 300
"""With so many, each kind must come up this often."""
EACH_KIND: Final = 3
KILLS_BESIDE_FAULTS: Final = 6
FEW_KILLS: Final = 10
"""Where the story is short: Label Studio is slow."""


def run(options: Options) -> Result:
    """Undisturbed, then killed, then the controls."""
    kills = options.given.kills or (quick_kills() if options.quick else FULL_KILLS)
    flow_kills = options.given.flow_kills
    if flow_kills is None:
        flow_kills = 0 if options.quick else min(FLOW_KILLS, kills)
    faults = options.given.faults
    if faults is None:
        faults = QUICK_FAULTS if options.quick else FULL_FAULTS
    rng = Random(options.seed)
    preload()
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="chaos-")))
        port = stack.enter_context(receiver(scratch / "posts.jsonl"))
        dbs = databases(options.given.db, scratch)
        stack.callback(dbs.close)
        campaign = Campaign(options.seed, scratch, port, dbs, options.given.queue, options.given.second_votes)
        if campaign.queue == BROKER:
            begin_broker(options.given.broker or "redis")
        elif options.given.broker:
            raise SystemExit("chaos: --broker is of --queue broker")
        if campaign.queue == LABEL_STUDIO and campaign.votes:
            raise SystemExit("chaos: Label Studio has one user here, who cannot give a second vote")
        if campaign.queue == LABEL_STUDIO:
            begin_label_studio()
        if options.given.writes_only or campaign.queue == LABEL_STUDIO:
            return _killed_at_writes(campaign, rng, options.given.kills or FEW_KILLS)
        peaceful = campaign.tell("peaceful", TROUBLED, EngineRunner(scratch), None, None)
        in_flows = _flow_kills(campaign, rng, flow_kills, stack) if flow_kills else Counter[str]()
        in_engine = _engine_kills(campaign, rng, kills - flow_kills, peaceful, in_flows)
        kinds = _kinds(options.given.db, options.given.queue)
        faulters = _faults(campaign, rng, faults, peaceful, kinds)
        caught = controls(campaign, rng, peaceful)
    everything = in_flows + in_engine
    crossed = {site_of(point) for point in commits(peaceful)}
    verdicts = [
        Verdict("kills", "must", everything.total(), kills, ">="),
        Verdict("kills while real flows ran", "must", in_flows.total(), flow_kills, ">="),
        *coverage(crossed, everything),
        *queue_coverage(queue_writes(peaceful), everything),
        *web_coverage(campaign.played),
        *innocence(campaign.tallies, campaign.differences),
        *(votes_given(peaceful) if campaign.votes else ()),
        *_of_faults(faulters, faults, kinds),
        *caught,
    ]
    inflicted = sum((faulter.inflicted for faulter in faulters), Counter[str]())
    rows = [
        *campaign.rows,
        *({"fault": kind, "times": times} for kind, times in sorted(inflicted.items())),
        *({"died at": point, "kills": number} for point, number in sorted(everything.items())),
    ]
    return Result(rows, verdicts)


def _killed_at_writes(campaign: Campaign, rng: Random, wanted: int) -> Result:
    """A short story: who writes to the queue dies on both sides of each commit and each send."""
    peaceful = campaign.tell("peaceful", SHORT, EngineRunner(campaign.scratch), None, None)
    points = queue_writes(peaceful)
    killer = Killer(rng, max(wanted, len(points)), 15, set(points))
    while not killer.done and killer.targets:
        before = killer.kills.total()
        name = f"engine-{len(campaign.played)}"
        campaign.tell(name, SHORT, EngineRunner(campaign.scratch), killer, peaceful)
        if killer.kills.total() == before:
            break
    variants = (forgetful_queue,)
    sent = {point for point in points if point.endswith("after send")}
    again = DiesAgain(rng, CONTROL_KILLS, 2, sent)
    control = campaign.tell(
        "control-queue", SHORT, EngineRunner(campaign.scratch, variants), again, peaceful, *variants
    )
    twice = control.tally.items_dispatched_twice
    verdicts = [
        Verdict("kills", "must", killer.kills.total(), wanted, ">="),
        *queue_coverage(points, killer.kills),
        *web_coverage(campaign.played),
        *innocence(campaign.tallies, campaign.differences),
        Verdict("control: a queue without keys dispatches items twice", "must", twice, 1, ">="),
    ]
    died = [{"died at": point, "kills": number} for point, number in sorted(killer.kills.items())]
    return Result([*campaign.rows, *died], verdicts)


def quick_kills() -> int:
    """As many as it takes to die at every commit point, and a few more."""
    return len(commit_sites(ENGINE)) + SPARE_KILLS


def _flow_kills(campaign: Campaign, rng: Random, wanted: int, stack: ExitStack) -> Counter[str]:
    """Kills in the real flows, against a plain story that nobody disturbed."""
    scratch = campaign.scratch
    peaceful = campaign.tell("flows-peaceful", PLAIN, EngineRunner(scratch), None, None)
    home = scratch / "prefect"
    home.mkdir()
    environment = stack.enter_context(prefect_server(home))
    points = commits(peaceful)
    killer = Killer.at(points, rng, wanted, both_sides=False, most_a_tick=FLOW_KILLS_A_MOMENT)
    killer.terminations = TERMINATIONS
    number = 0
    while not killer.done:
        number += 1
        runner = FlowRunner(scratch, environment)
        campaign.tell(f"flows-{number}", PLAIN, runner, killer, peaceful)
    return killer.kills


def _engine_kills(
    campaign: Campaign, rng: Random, wanted: int, peaceful: PlayedStory, in_flows: Counter[str]
) -> Counter[str]:
    """Kills in forked processes: commit points, files and posts first, then anywhere.

    With fewer kills than points, one side is drawn of each commit at which nobody has died, and both are taken of each
    write to the queue.
    """
    points = {point for ending in peaceful.endings for point in ending.crossed}
    generous = wanted >= len(points)
    if not generous:
        tried = {site_of(point) for point in in_flows}
        points = {point for point in commits(peaceful) if site_of(point) not in tried}
    killer = Killer.at(points, rng, wanted, both_sides=generous, most_a_tick=15)
    killer.targets |= queue_writes(peaceful)
    killer.wanted = max(wanted, len(killer.targets))
    number = 0
    while not killer.done:
        number, before = number + 1, killer.kills.total()
        campaign.tell(f"engine-{number}", TROUBLED, EngineRunner(campaign.scratch), killer, peaceful)
        if killer.kills.total() == before:
            killer.targets.clear()  # they were not come to again, and kills must not be kept for them for ever
    return killer.kills


def _faults(
    campaign: Campaign, rng: Random, wanted: int, peaceful: PlayedStory, kinds: Sequence[Fault]
) -> list[Faulter]:
    """Faults, with some kills beside them: first those after which all is as before, then those that last too."""
    after_which_all_is_as_before = wanted // 2 if wanted > QUICK_FAULTS else 0
    of_each = EACH_KIND if wanted >= MANY_FAULTS else 0
    faulters = [
        Faulter(rng, after_which_all_is_as_before, lasting=False, kinds=kinds, of_each=of_each),
        Faulter(rng, wanted - after_which_all_is_as_before, kinds=kinds, of_each=of_each),
    ]
    number = 0
    for faulter in faulters:
        before = -1
        while not faulter.done and faulter.inflicted.total() > before:
            number, before = number + 1, faulter.inflicted.total()
            killer = Killer(rng, KILLS_BESIDE_FAULTS, most_a_tick=2)
            runner = EngineRunner(campaign.scratch)
            campaign.tell(f"faults-{number}", TROUBLED, runner, killer, peaceful, faulter=faulter)
    return faulters


def _kinds(database: str, queue: str) -> list[Fault]:
    """The kinds of fault that can happen to this database and this queue."""
    return [
        fault
        for fault in FAULTS
        if (database == "postgres" or not fault.kind.startswith("PostgreSQL"))
        and (queue == "folder" or fault.kind != "label folder hangs")
        and (queue in IN_FILES or not fault.kind.startswith("label file"))
    ]


def _of_faults(faulters: Sequence[Faulter], wanted: int, kinds: Sequence[Fault]) -> list[Verdict]:
    """Every kind came up, people could read of each, and nothing was lost or doubled right after it."""
    untold = [line for faulter in faulters for line in faulter.untold]
    broken = [line for faulter in faulters for line in faulter.broken]
    for line in (*untold, *broken):
        print(line[:1000])
    inflicted = sum((faulter.inflicted for faulter in faulters), Counter[str]())
    rarest = min(inflicted[fault.kind] for fault in kinds)
    return [
        Verdict("faults", "must", inflicted.total(), wanted, ">="),
        Verdict("times of the rarest kind", "must", rarest, EACH_KIND if wanted >= MANY_FAULTS else 0, ">="),
        Verdict("faults that nobody was told of", "must", len(untold), 0, "<="),
        Verdict("promises broken right after a fault", "must", len(broken), 0, "<="),
    ]


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--kills", type=int, help=f"processes to kill (default {FULL_KILLS}, quick {quick_kills()})")
    parser.add_argument("--flow-kills", type=int, help=f"of them in real Prefect flows (default {FLOW_KILLS})")
    parser.add_argument("--faults", type=int, help=f"faults to inflict (default {FULL_FAULTS}, quick {QUICK_FAULTS})")
    parser.add_argument("--queue", choices=sorted(QUEUES), default="folder")
    parser.add_argument("--broker", choices=list(TOOLS), help="of --queue broker (default redis)")
    parser.add_argument("--writes-only", action="store_true", help="a short story; die only at writes to the queue")
    parser.add_argument("--second-votes", action="store_true", help="ask again where an error costs most (ADR 42)")
    parser.add_argument("--db", choices=["sqlite", "postgres"], default="sqlite")


def chaos(argv: Sequence[str] | None = None) -> int:
    """Run the benchmark; the exit status."""
    return main("chaos", run, argv, _arguments)


if __name__ == "__main__":
    sys.exit(chaos())
