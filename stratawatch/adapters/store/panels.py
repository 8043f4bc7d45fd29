"""Panels, their versions and their classifiers."""

import json
from collections.abc import Mapping
from datetime import datetime
from hashlib import sha256
from typing import Any

from sqlalchemy import Connection, select

from stratawatch.adapters.store import tables
from stratawatch.adapters.store.json_codec import as_document, from_document
from stratawatch.adapters.store.record_rows import row_of
from stratawatch.adapters.store.upserts import insert_all, insert_new, upsert
from stratawatch.engine.model.document import Json
from stratawatch.engine.model.idempotency_keys import question_wording
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.errors import StratawatchError


class SqlPanels:
    """The repository of panels and their versions."""

    def __init__(self, connection: Connection) -> None:
        self._sql = connection

    def save(self, spec: PanelSpec, at: datetime) -> int:
        """Keep this specification, return its version's id; the same specification keeps the same id."""
        document = as_document(spec)
        mark = fingerprint(document)
        version = self._find(spec.name, mark)
        if version is None:
            version = self._add(spec, document, mark, at)
        current = select(tables.panels.c.version_id).where(tables.panels.c.name == spec.name)
        if self._sql.scalar(current) != version:
            self._make_current(spec.name, version, at)
        return version

    def get(self, version: int) -> PanelSpec:
        """The specification of a version."""
        query = select(tables.panel_versions.c.spec).where(tables.panel_versions.c.id == version)
        row = self._sql.execute(query).one_or_none()
        if row is None:
            raise StratawatchError(f"there is no panel version {version}")
        spec: PanelSpec = from_document(PanelSpec, row.spec)
        return spec

    def latest(self) -> Mapping[str, PanelSpec]:
        """The newest specification of every panel, by name."""
        query = select(tables.panels.c.name, tables.panel_versions.c.spec).join_from(
            tables.panels, tables.panel_versions
        )
        specs = {row.name: from_document(PanelSpec, row.spec) for row in self._sql.execute(query)}
        return dict(sorted(specs.items()))

    def question_key(self, spec: PanelSpec) -> str:
        """The key of the question that a specification asks, kept or not."""
        wording = question_wording(spec.question, spec.guideline, spec.guideline_version)
        t = tables.questions.c
        kept: str | None = self._sql.scalar(select(t.question_key).where(t.panel == spec.name, t.wording == wording))
        return kept or self._same_question(spec) or self._asked_elsewhere(spec, wording) or wording

    def question_keys(self, panel: str) -> frozenset[str]:
        """The keys of all questions that the specifications kept of a panel ask."""
        t = tables.questions.c
        return frozenset(self._sql.scalars(select(t.question_key).where(t.panel == panel)))

    def _same_question(self, spec: PanelSpec) -> str | None:
        """The key of the panel's newest specification, where a new wording says that it asks the same."""
        newest = self._newest(spec.name)
        if newest is None or newest.question != spec.question:
            return None
        key = self.question_key(newest)
        versions = (newest.guideline_version, spec.guideline_version)
        named_or_unnamed = newest.guideline == spec.guideline and versions.count(None) == 1
        return key if named_or_unnamed or spec.guideline_version == key else None

    def _asked_elsewhere(self, spec: PanelSpec, wording: str) -> str | None:
        """The key of these words in the panel whose items the specification shares."""
        t = tables.questions.c
        return self._sql.scalar(select(t.question_key).where(t.panel == spec.same_items_as, t.wording == wording))

    def _newest(self, panel: str) -> PanelSpec | None:
        query = select(tables.panels.c.version_id).where(tables.panels.c.name == panel)
        version = self._sql.scalar(query)
        return None if version is None else self.get(version)

    def _find(self, panel: str, mark: str) -> int | None:
        t = tables.panel_versions.c
        found: int | None = self._sql.scalar(select(t.id).where(t.panel == panel, t.fingerprint == mark))
        return found

    def _add(self, spec: PanelSpec, document: dict[str, Any], mark: str, at: datetime) -> int:
        self._keep_question(spec)
        row = {"panel": spec.name, "fingerprint": mark, "spec": document, "created_at": at}
        added = insert_new(self._sql, tables.panel_versions, [row], tables.panel_versions.c.id)
        if not added:  # another process saved the same words a moment ago
            return self._find(spec.name, mark) or self._lost(spec.name)
        version: int = added[0].id
        rows = [
            row_of(one, tables.classifiers, version_id=version, position=i, positive=one.call)
            for i, one in enumerate(spec.classifiers)
        ]
        insert_all(self._sql, tables.classifiers, rows)
        return version

    def _keep_question(self, spec: PanelSpec) -> None:
        wording = question_wording(spec.question, spec.guideline, spec.guideline_version)
        row = {"panel": spec.name, "wording": wording, "question_key": self.question_key(spec)}
        self._sql.execute(upsert(self._sql, tables.questions).on_conflict_do_nothing(), row)

    def _make_current(self, panel: str, version: int, at: datetime) -> None:
        values = {"version_id": version, "saved_at": at}
        statement = upsert(self._sql, tables.panels).on_conflict_do_update(index_elements=["name"], set_=values)
        self._sql.execute(statement, {"name": panel, **values})

    @staticmethod
    def _lost(panel: str) -> int:
        raise StratawatchError(f"a version of panel '{panel}' could be neither kept nor found")


def fingerprint(document: Json) -> str:
    """A hash of a specification that does not depend on the order of its keys."""
    return sha256(json.dumps(document, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
