"""Over how many windows a stream is read. Without NumPy, as `stratawatch status` reads it."""

from typing import Final

FEW: Final = 4
"""Windows that together say on which side of its limit a metric stands: a month of weeks."""
MANY: Final = 13
"""Windows of the longest reading: a quarter of weeks. More are not looked ahead either."""
LAST: Final = 2
"""Windows that together must be inside for a metric to be called so: a fall is not hidden by the months before it."""
