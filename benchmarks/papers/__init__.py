"""Published figures, and what our implementations of the same methods give beside them."""
