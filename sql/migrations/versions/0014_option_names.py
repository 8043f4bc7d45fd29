"""The option of a design by the name that it has now, in stored panel specifications; 0006 forgot the options.

An unchanged panel so keeps its version. Where it was saved under the new name since 0006, both versions stay.
"""

import json
from hashlib import sha256

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"

OPTIONS = {"doubt": "pseudo_labels"}
VERSIONS = sa.table(
    "panel_versions", sa.column("id"), sa.column("panel"), sa.column("fingerprint"), sa.column("spec", sa.JSON())
)


def upgrade() -> None:
    sql = op.get_bind()
    rows = sql.execute(sa.select(VERSIONS)).all()
    taken = {(row.panel, row.fingerprint) for row in rows}
    for row in rows:
        options = {OPTIONS.get(name, name): value for name, value in row.spec.get("options", {}).items()}
        if options == row.spec.get("options", {}):
            continue
        spec = row.spec | {"options": options}
        new = {"spec": spec, "fingerprint": fingerprint(spec)}
        if (row.panel, new["fingerprint"]) not in taken:
            sql.execute(sa.update(VERSIONS).where(VERSIONS.c.id == row.id).values(**new))


def fingerprint(spec: dict) -> str:
    return sha256(json.dumps(spec, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
