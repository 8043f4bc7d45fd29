"""What other tools are told in numbers beside the rows of `status`: estimates, and what panels ask for."""

from collections.abc import Mapping
from typing import Final

BESIDE_STATUS: Final[Mapping[str, str]] = {
    "estimates": """
        SELECT panel, classifier, metric, segment, value, low, high, n_eff, confidence, labels_used, state, window_end,
            estimated_at
        FROM current_estimates ORDER BY panel, classifier, metric, COALESCE(segment, '')""",
    "specs": """
        SELECT p.name AS panel, v.spec FROM panels AS p INNER JOIN panel_versions AS v ON v.id = p.version_id
        ORDER BY p.name""",
}
"""Queries for `read_status`, over the views of sql/views."""
