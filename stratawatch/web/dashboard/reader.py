"""Everything that pages show, read from the store and kept until it changes."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Final, TypeVar

from stratawatch.engine.alarms.acknowledgements import acknowledge_incident
from stratawatch.engine.alarms.silences import silence_alerts
from stratawatch.engine.cycle.frozen_budgets import FrozenBudgets, frozen_budgets
from stratawatch.engine.labels.labelled_items import LabelledItem
from stratawatch.engine.model.alarm_records import Silence
from stratawatch.engine.model.audit_entry import AuditEntry
from stratawatch.engine.model.last_run import LastRun
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.ports import Ports, Store
from stratawatch.errors import NotFound, StratawatchError
from stratawatch.formatting import minute_with_offset
from stratawatch.report.page import panel_page
from stratawatch.report.publish import panel_view, with_next_window
from stratawatch.report.several_windows import SeveralWindows, with_several_windows
from stratawatch.report.view_models import PanelView
from stratawatch.web.dashboard.cycle_view import CycleView, cycle_view
from stratawatch.web.dashboard.incident_view import IncidentLine, IncidentView, incident_lines, incident_view
from stratawatch.web.dashboard.kept_views import KeptViews
from stratawatch.web.dashboard.mistakes_view import MistakesView, mistakes_view
from stratawatch.web.dashboard.panel_list import PanelRow, panel_rows

LISTED_INCIDENTS: Final = 200
LISTED_ACTIONS: Final = 200

V = TypeVar("V")


@dataclass(frozen=True)
class Heading:
    """What stands above every page: when the last advance ended, and whether it was a good one."""

    advance: LastRun | None


class Reader:
    """Reads views. `looking` is a store that takes no lock; what people do goes through `ports`."""

    def __init__(
        self,
        ports: Ports,
        looking: Store,
        mark: Callable[[], str],
        document: Callable[[], dict[str, Any]],
        smallest_cell: int = 0,
    ) -> None:
        """`document` is what `status --json` says, with estimates and specifications; `smallest_cell` as in reports."""
        self._ports, self._store, self._document, self._mark = ports, looking, document, mark
        self._kept, self._smallest_cell = KeptViews(mark), smallest_cell

    def panel_names(self) -> tuple[str, ...]:
        """The panels of the configuration, as it was when this began."""
        return tuple(self._ports.configured)

    def panels(self) -> list[PanelRow]:
        """A row for every panel, the most urgent first."""
        return self._get("panels", lambda: panel_rows(self.panel(name) for name in self.panel_names()))

    def panel(self, name: str) -> PanelView:
        """What the report says of a panel. Raises NotFound."""
        spec = self._spec(name)
        return self._get(("panel", name), lambda: self._panel_view(spec))

    def report(self, name: str) -> str:
        """The page of a panel as `report` writes it."""
        return self._get(("report", name), lambda: self._report(name))

    def page(self, key: Hashable, make: Callable[[], tuple[str, str]]) -> tuple[str, str]:
        """A page's title and its text, which many people see."""
        return self._get(("page", key), make)

    def cycle(self, number: int, classifier: str = "") -> CycleView:
        """One cycle. Raises NotFound."""
        return self._get(
            ("cycle", number, classifier), lambda: self._read(lambda tx: cycle_view(tx, number, classifier))
        )

    def incident(self, number: int) -> IncidentView:
        """One incident. Raises NotFound."""
        now = self._ports.clock.now
        return self._get(("incident", number), lambda: self._read(lambda tx: incident_view(tx, number, now())))

    def incidents(self) -> list[IncidentLine]:
        """The open ones, then the newest of those that are over."""
        now = self._ports.clock.now
        return self._get("incidents", lambda: self._read(lambda tx: incident_lines(tx, now(), LISTED_INCIDENTS)))

    def silences(self) -> tuple[Silence, ...]:
        """What nobody is told of for now."""
        now = self._ports.clock.now
        return self._get("silences", lambda: self._read(lambda tx: tuple(tx.silences.active(now()))))

    def mistakes(self, panel: str, classifier: str, side: str, segment: str) -> MistakesView:
        """What a classifier got wrong in the newest judged window. Raises NotFound."""
        spec, key = self._spec(panel), ("mistakes", panel, classifier, side, segment)
        return self._get(key, lambda: self._read(lambda tx: mistakes_view(tx, spec, classifier, side, segment)))

    def budgets(self, panel: str) -> FrozenBudgets | None:
        """What other budgets would buy; None before the first window was frozen. Raises NotFound."""
        spec, now = self._spec(panel), self._ports.clock.now
        return self._get(("budgets", panel), lambda: frozen_budgets(self._store, spec, now()))

    def actions(self) -> tuple[AuditEntry, ...]:
        """What people did by hand, the newest first."""
        return self._get("audit", lambda: self._read(lambda tx: tx.audit.entries()[: -LISTED_ACTIONS - 1 : -1]))

    def heading(self) -> Heading:
        """What stands above every page."""
        return self._get("heading", lambda: Heading(self._read(lambda tx: tx.last_runs.get("advance"))))

    def document(self) -> dict[str, Any]:
        """The document of `status --json`, with estimates and specifications."""
        return self._get("document", self._document)

    def acknowledge(self, number: int, by: str, why: str) -> str:
        """Note who looks after an incident; returns who does. Raises StratawatchError where it is over."""
        self._mark()  # what is in the store's place now
        first = acknowledge_incident(replace(self._ports, by=by), number, why).incidents[0]
        self._kept.forget()
        return first.acknowledged_by

    def silence(self, number: int, by: str, length: timedelta, why: str) -> Silence:
        """Let nobody be told of an incident's metric for a while."""
        self._mark()
        self._kept.forget()
        found, now = self.incident(number), self._ports.clock.now()
        if not found.is_open:
            raise StratawatchError("it is over", hint="nobody is told of it any more")
        if found.silence is not None:
            raise StratawatchError("it is silent already", hint=f"until {minute_with_offset(found.silence.over_at)}")
        key = found.incident.key
        asked = Silence(key.panel, now + length, why, by, now, key.classifier, key.metric, key.segment)
        made = silence_alerts(replace(self._ports, by=by), asked)
        self._kept.forget()
        return made

    def _panel_view(self, spec: PanelSpec) -> PanelView:
        ports, smallest = self._ports, self._smallest_cell
        return panel_view(self._store, spec, ports.clock.now(), ports.paused, ports.links, smallest_cell=smallest)

    def _report(self, name: str) -> str:
        view = with_next_window(self.panel(name), self.budgets(name))
        return panel_page(with_several_windows(view, SeveralWindows.read(self._store, name)))

    def _spec(self, name: str) -> PanelSpec:
        if name not in self._ports.configured:
            raise NotFound(f"there is no panel '{name}'")
        return self._ports.configured[name]

    def _get(self, key: Hashable, make: Callable[[], V]) -> V:
        return self._kept.get(key, make)

    def _read(self, read: Callable[[Any], V]) -> V:
        with self._store.begin() as tx:
            return read(tx)


def shown_items(view: MistakesView, *, with_payload: bool) -> list[LabelledItem]:
    """The items of a page, without what labellers saw of them for those who may not see it."""
    if with_payload:
        return list(view.shown)
    return [replace(one, item=replace(one.item, payload={})) for one in view.shown]
