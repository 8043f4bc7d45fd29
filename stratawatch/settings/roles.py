"""What people may do at the dashboard, from the least to the most."""

from typing import Final, Literal, get_args

Role = Literal["viewer", "annotator", "operator", "admin"]
ROLES: Final[tuple[Role, ...]] = get_args(Role)
"""A viewer sees numbers, an annotator what labellers were shown too, an operator acts, an admin sees who acted."""


def may(role: Role, needed: Role) -> bool:
    """Whether a role includes another one.

    >>> may("operator", "viewer"), may("viewer", "operator")
    (True, False)
    """
    return ROLES.index(role) >= ROLES.index(needed)
