"""Views for all that `status` shows. Every migration installs the views anew, so no table changes here."""

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    pass
