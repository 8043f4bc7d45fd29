"""How many labels does it take: against plain sampling, a published algorithm, the optimum, and other libraries."""
