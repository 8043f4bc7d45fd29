"""The page of one cycle: how far it is, where its labels lie, and how many of them a classifier got wrong."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from stratawatch.core.population import NEGATIVE, POSITIVE, Atom
from stratawatch.engine.labels.labelled_items import LabelledItem, labelled_items
from stratawatch.engine.model.cycle_facts import Cycle, Round, Transition
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.model.states import Entity
from stratawatch.engine.ports.transaction import Transaction
from stratawatch.report.label_counts import count_labels
from stratawatch.report.table_rows import LabelOutcomes


@dataclass(frozen=True)
class Tile:
    """An atom, and what people said of the items that were drawn from it. `wrong` are those of one classifier."""

    atom: Atom
    drawn: int
    answered: int
    yes: int
    wrong: int | None  # None: the classifier says nothing there

    @property
    def wrong_share(self) -> float | None:
        """The share of the answered items that the classifier got wrong."""
        return self.wrong / self.answered if self.answered and self.wrong is not None else None


@dataclass(frozen=True)
class RoundRow:
    """A round: what was planned and drawn, and how many of its items have an answer."""

    round: Round
    drawn: int
    reused: int
    answered: int


@dataclass(frozen=True)
class CycleView:
    """Everything that is known of the work on one window."""

    cycle: Cycle
    spec: PanelSpec
    labels: LabelOutcomes
    rounds: tuple[RoundRow, ...]
    moves: tuple[Transition, ...]
    tiles: tuple[Tile, ...]
    classifier: str

    @property
    def classifiers(self) -> tuple[str, ...]:
        """Those that the panel had."""
        return tuple(one.name for one in self.spec.classifiers)

    def calls(self, pattern: str) -> str:
        """Who called an item of this pattern positive, in words."""
        said = [name for name, letter in zip(self.classifiers, pattern, strict=False) if letter == POSITIVE]
        return ", ".join(said) if said else "nobody"


def cycle_view(tx: Transaction, cycle_id: int, classifier: str = "") -> CycleView:
    """Read a cycle. Without a classifier, or with one that it does not have, the first one's mistakes are counted."""
    cycle = tx.cycles.get(cycle_id)
    spec = tx.panels.get(cycle.panel_version)
    names = [one.name for one in spec.classifiers]
    chosen = classifier if classifier in names else names[0]
    items = labelled_items(tx, cycle)
    return CycleView(
        cycle,
        spec,
        count_labels(tx, spec, cycle),
        _rounds(tx, cycle, items),
        tuple(tx.cycles.transitions(Entity.CYCLE, cycle.id)),
        _tiles(tx.cycles.atoms(cycle.id), items, names.index(chosen)),
        chosen,
    )


def _rounds(tx: Transaction, cycle: Cycle, items: Sequence[LabelledItem]) -> tuple[RoundRow, ...]:
    answered = {one.item_key for one in items if one.verdict is not None}
    rows = []
    for one in tx.rounds.of(cycle.id):
        mine = tx.rounds.draws(cycle.id, one.id)
        reused = sum(draw.reused for draw in mine)
        rows.append(RoundRow(one, len(mine), reused, sum(draw.item_key in answered for draw in mine)))
    return tuple(rows)


def _tiles(atoms: Sequence[Atom], items: Sequence[LabelledItem], place: int) -> tuple[Tile, ...]:
    drawn: Counter[int] = Counter()
    verdicts: defaultdict[int, Counter[str]] = defaultdict(Counter)
    for one in items:
        drawn[one.item.atom] += 1
        if one.verdict in ("yes", "no"):
            verdicts[one.item.atom][one.verdict] += 1
    tiles = []
    for number, atom in enumerate(atoms):
        yes, no = verdicts[number]["yes"], verdicts[number]["no"]
        wrong = {POSITIVE: no, NEGATIVE: yes}.get(atom.pattern[place])
        tiles.append(Tile(atom, drawn[number], yes + no, yes, wrong))
    return tuple(tiles)
