"""Second and third votes of a cycle: who is asked for one, what came, and what they cost.

The rule is part of the panel's specification. It reads the calls and the first answer alone, so that the same answers
always ask for the same votes.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from stratawatch.core.population import NEGATIVE, Atom
from stratawatch.core.second_votes import NO_SECOND_VOTES, next_vote
from stratawatch.core.verdicts import SaidWord, Vote, standing_words
from stratawatch.engine.labels.label_tasks import can_be_shown, label_task
from stratawatch.engine.model.cycle_facts import CandidateItem, Cycle, DrawnItem, Round
from stratawatch.engine.model.idempotency_keys import shuffle_key, vote_key
from stratawatch.engine.model.label_events import Batch, LabelEvent, NewBatch
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.ports.transaction import Transaction
from stratawatch.formatting import count_text

FIRST: Final = 1
"""The vote that an ordinary batch asks for."""


def is_checked(spec: PanelSpec, pattern: str) -> bool:
    """Whether items of a pattern have a second vote if the first one is yes; letters of helpers do not count."""
    return spec.second_votes is not None and NEGATIVE in pattern[: len(spec.classifiers)]


def checked_keys(spec: PanelSpec, atoms: Sequence[Atom], draws: Iterable[DrawnItem]) -> frozenset[str]:
    """The drawn items that the panel's rule checks, by item key."""
    flags = [is_checked(spec, atom.pattern) for atom in atoms]
    return frozenset(draw.item_key for draw in draws if flags[draw.atom])


def words_of(events: Iterable[LabelEvent]) -> dict[str, list[SaidWord]]:
    """What people say of each item, by item key, in the order in which they first spoke."""
    said: dict[str, list[Vote]] = defaultdict(list)
    for order, event in enumerate(events):
        said[event.item_key].append(Vote(event.person, event.value, order))
    return {key: standing_words(votes) for key, votes in said.items()}


@dataclass(frozen=True)
class SecondVoteCounts:
    """Of the checked items whose first answer is yes: how many votes were needed, and how many of them came.

    `seconds` and `thirds` are (needed, came); a third one is needed where the second said no.
    """

    seconds: tuple[int, int] = (0, 0)
    thirds: tuple[int, int] = (0, 0)

    @classmethod
    def of(cls, words: Iterable[Sequence[SaidWord]]) -> "SecondVoteCounts":
        """The counts of what was said about checked items."""
        yes = [said for said in words if said[:1] == ["yes"]]
        decided = [[word for word in said if word != "skip"] for said in yes]
        doubted = [said for said in decided if said[1:2] == ["no"]]
        came = sum(len(said) > 1 for said in decided), sum(len(said) > 2 for said in doubted)
        return cls((len(yes), came[0]), (len(doubted), came[1]))

    @property
    def needed(self) -> int:
        """How many votes were needed beside the first ones."""
        return self.seconds[0] + self.thirds[0]

    @property
    def missing(self) -> int:
        """How many did not come."""
        return self.needed - self.seconds[1] - self.thirds[1]

    @property
    def complete(self) -> float:
        """The share of first yeses that have every vote that they needed."""
        parts = (came / needed if needed else 1.0 for needed, came in (self.seconds, self.thirds))
        second, third = parts
        return second * third

    @property
    def sentence(self) -> str:
        """What is missing and what counts instead; empty where nothing is."""
        if not self.missing:
            return ""
        return (
            f"{self.missing} of {count_text(self.needed, 'further vote')} did not come: the first answer counts there"
        )


def ask_second_votes(
    tx: Transaction,
    spec: PanelSpec,
    cycle: Cycle,
    round_: Round,
    draws: Sequence[DrawnItem],
    words: Mapping[str, Sequence[SaidWord]],
) -> int:
    """Write a batch for each vote that a round's checked items need now; returns how many that are.

    Each has its item and the number of the vote in its key, and nothing of when it was asked for: whoever plans the
    round again asks under the same key, and the queue takes it once.
    """
    asked = votes_asked(tx.rounds.batches(round_id=round_.id))
    due: dict[str, tuple[int, DrawnItem]] = {}
    for draw in draws:
        vote = next_vote(words.get(draw.item_key, ()))
        if vote is not None and (draw.item_key, vote) not in asked:
            due[draw.item] = vote, draw
    if not due:
        return 0
    runs = len(tx.cycles.earlier_runs(cycle))
    made = [
        _batch(spec, cycle, round_, *due[item.item], item, runs)
        for item in tx.cycles.candidates(cycle.id)
        if item.item in due and can_be_shown(item)
    ]
    made.sort(key=lambda batch: shuffle_key(spec.seed, cycle.period, round_.ordinal, batch.tasks[0].item_key))
    tx.rounds.add_batches(round_.id, made)
    return len(made)


def _batch(
    spec: PanelSpec, cycle: Cycle, round_: Round, vote: int, draw: DrawnItem, item: CandidateItem, runs: int
) -> NewBatch:
    task = label_task(spec, item, draw.item_key)
    key = vote_key(
        spec.name, cycle.period, round_.ordinal, vote, [draw.question_key, task.item_key, task.payload], runs
    )
    rule = spec.second_votes or NO_SECOND_VOTES
    return NewBatch(key, spec.question, spec.guideline, (task,), draw.question_key, vote, rule)


def votes_asked(batches: Iterable[Batch]) -> frozenset[tuple[str, int]]:
    """The votes beside the first one that batches ask for: item keys, and which vote it is."""
    return frozenset((task.item_key, batch.vote) for batch in batches if batch.vote > FIRST for task in batch.tasks)


def is_answered(batch: Batch, verdicts: Collection[str], words: Mapping[str, Sequence[SaidWord]]) -> bool:
    """Whether nobody needs to answer a batch any more: each of its items has a verdict, or as many votes as it is.

    A gold item that has an answer counts as one with a verdict.
    """
    keys = [task.item_key for task in batch.tasks]
    return all(key in verdicts or len(words.get(key, ())) >= batch.vote for key in keys)
