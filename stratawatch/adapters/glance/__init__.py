"""A quick look at the store: plain SQL over the driver itself, because SQLAlchemy alone takes .4 s to import.

Only `status` uses it. Whatever is odd (no store, another schema) is left to the real store, which says it well.
"""

from stratawatch.adapters.glance.statements import Glance, Unready, look

__all__ = ["Glance", "Unready", "look"]
