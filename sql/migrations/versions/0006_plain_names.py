"""Fields of stored panel specifications by the names that they have now; each fingerprint is made anew with them.

An unchanged panel so keeps its version, and a cycle that is under way the rules that it was opened with.
"""

import json
from hashlib import sha256

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

SPEC = {
    "blind_at": "blind_margin_factor",
    "pages_a_year": "false_pages_per_year",
    "label_life": "label_validity",
    "quarantine_share": "max_bad_row_share",
    "spend": "stop_rule",
}
CLASSIFIER = {"positive": "call"}
GOAL_OR_LIMIT = {"of": "classifiers"}

VERSIONS = sa.table("panel_versions", sa.column("id"), sa.column("fingerprint"), sa.column("spec", sa.JSON()))


def upgrade() -> None:
    sql = op.get_bind()
    for row in sql.execute(sa.select(VERSIONS.c.id, VERSIONS.c.spec)).all():
        spec = renamed(row.spec)
        if spec != row.spec:
            new = {"spec": spec, "fingerprint": fingerprint(spec)}
            sql.execute(sa.update(VERSIONS).where(VERSIONS.c.id == row.id).values(**new))


def renamed(spec: dict) -> dict:
    """The specification under the new names of its fields; what has them already stays as it is."""
    new = by_new_names(spec, SPEC)
    for parts, names in (("classifiers", CLASSIFIER), ("goals", GOAL_OR_LIMIT), ("limits", GOAL_OR_LIMIT)):
        if parts in new:
            new[parts] = [by_new_names(part, names) for part in new[parts]]
    return new


def by_new_names(document: dict, names: dict) -> dict:
    return {names.get(name, name): value for name, value in document.items()}


def fingerprint(spec: dict) -> str:
    return sha256(json.dumps(spec, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
