"""A panel of two classifiers that is configured again and again, and what `status`, report and estimates say of it."""

from dataclasses import dataclass, replace
from pathlib import Path

from stratawatch.adapters.status_queries import read_status
from stratawatch.cli.status_document import status_document
from stratawatch.core.estimate import IntervalEstimate
from stratawatch.core.goals import Limit
from stratawatch.engine.model.pauses import Pauses
from stratawatch.report import write
from tests.support.fakes import MONDAY, WEEK, spec
from tests.support.scenario import Scenario, open_all

LR, RF = spec().classifiers
BOTH = spec(
    budget=90,
    limits=(
        Limit("precision", floor=0.1, classifiers=("lr",)),
        Limit("precision", floor=0.97, classifiers=("rf",)),
    ),
)
WITHOUT_RF = replace(BOTH, classifiers=(LR,), limits=BOTH.limits[:1])


@dataclass
class PlayedPanel:
    """A scenario, the address of its store, and the folder of its reports."""

    scenario: Scenario
    url: str
    folder: Path

    def configure(self, panel=None, paused=None) -> None:
        """What the configuration says from now on."""
        if panel is not None:
            self.scenario.panel = panel
        configured = {"spam": self.scenario.panel}
        self.scenario.ports = replace(self.scenario.ports, paused=paused or Pauses(), configured=configured)

    def begin(self, week: int) -> tuple[int, ...]:
        """Open the window of a week, once it is over."""
        self.scenario.produce(week, size=700)
        self.scenario.clock.moment = MONDAY + (week + 1) * WEEK
        return open_all(self.scenario)

    def cycle(self, week: int):
        with self.scenario.ports.store.begin() as tx:
            (found,) = [one for one in tx.cycles.find() if one.period == week]
        return found

    def status(self):
        """The document of `status`: the sentence on what is paused, and the state of each classifier."""
        document = status_document(
            read_status(self.url), frozenset({"spam"}), self.scenario.clock.now(), self.scenario.ports.paused
        )
        (panel,) = document["panels"]
        return panel["paused"], {row["classifier"]: row["state"] for row in document["streams"]}, document["cycles"]

    def report(self) -> str:
        ports, panel = self.scenario.ports, self.scenario.panel
        page = write(ports.store, {panel.name: panel}, self.folder, self.scenario.clock.now(), paused=ports.paused)
        return page.read_text(encoding="utf-8")

    def estimated(self, week: int) -> set[str]:
        with self.scenario.ports.store.begin() as tx:
            revision = tx.estimates.latest(self.cycle(week).id)
        return {one.classifier for one in revision.estimates} if revision else set()

    def values(self, week: int) -> list[tuple[str, str, float]]:
        """What was estimated in the window of a week, over the whole population."""
        with self.scenario.ports.store.begin() as tx:
            found = tx.estimates.latest(self.cycle(week).id).estimates
        defined = [one for one in found if one.segment is None and isinstance(one.result, IntervalEstimate)]
        return [(one.classifier, one.metric, one.result.value) for one in defined]

    def judged(self, week: int) -> set[str]:
        with self.scenario.ports.store.begin() as tx:
            return {state.key.classifier for state in tx.alarms.of_cycle(self.cycle(week).id)}
