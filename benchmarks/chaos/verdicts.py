"""What a campaign must show: where processes died, and that nothing was lost or done twice."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import stratawatch.engine
from benchmarks.chaos.fuse import RENAMES, WRITES
from benchmarks.chaos.installation import PlayedStory
from benchmarks.chaos.killer import COMMIT_POINTS, commit_sites, untried
from benchmarks.chaos.tally import Tally
from benchmarks.shape import Verdict

ENGINE: Final = Path(stratawatch.engine.__file__).parent


def commits(played: PlayedStory) -> set[str]:
    return {point for ending in played.endings for point in ending.crossed if point.endswith("commit")}


def queue_writes(played: PlayedStory) -> set[str]:
    """The two sides of every write to the queue."""
    return {point for ending in played.endings for point in ending.crossed if point.endswith((*RENAMES, *WRITES))}


def queue_coverage(points: set[str], kills: Counter[str]) -> list[Verdict]:
    left = sorted(points - set(kills))
    for point in left:
        print(f"no process died {point}")
    return [
        Verdict("sides of writes to the queue", "must", len(points), 1, ">="),
        Verdict("sides of writes to the queue without a kill", "must", len(left), 0, "<="),
    ]


def web_coverage(played: Sequence[PlayedStory]) -> list[Verdict]:
    """Web processes died on every side of what they write; a queue without one has none."""
    crossed = {point for one in played for point in one.web_crossed}
    left = sorted(crossed - {point for one in played for point in one.web_deaths})
    for point in left:
        print(f"no web process died {point}")
    return [
        Verdict("sides of writes of web processes", "aim", len(crossed), 0, ">="),
        Verdict("kills of web processes", "aim", sum(sum(one.web_deaths.values()) for one in played), 0, ">="),
        Verdict("sides of writes of web processes without a kill", "must", len(left), 0, "<="),
    ]


def coverage(crossed: set[str], kills: Counter[str]) -> list[Verdict]:
    sites = commit_sites(ENGINE)
    unreached, left = sorted(sites - crossed), untried(sites, kills)
    for site in unreached:
        print(f"no process ever came to {site}")
    for site in left:
        print(f"no process died at {site}")
    return [
        Verdict("commit points of the engine", "must", len(sites), COMMIT_POINTS, ">="),
        Verdict("commit points of the engine that the story never crosses", "must", len(unreached), 0, "<="),
        Verdict("commit points without a kill", "must", len(left), 0, "<="),
    ]


def votes_given(played: PlayedStory) -> list[Verdict]:
    """The story had further votes; `innocence` says whether any were lost."""
    return [
        Verdict(f"{name} votes of the story", "must", number, 1, ">=")
        for name, number in zip(("second", "third"), played.tally.votes, strict=True)
    ]


def innocence(tallies: Sequence[Tally], different: Sequence[str]) -> list[Verdict]:
    counts = Counter[str]()
    for tally in tallies:
        counts.update(tally.counts())
    names = list(tallies[0].counts())
    return [
        *(Verdict(name.replace("_", " "), "must", counts[name], 0, "<=") for name in names),
        Verdict("differences in the final state", "must", len(different), 0, "<="),
    ]
