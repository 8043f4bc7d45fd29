"""STRAT: balanced repeated replication over strata, clusters, and rates of recognisers (Micheals and Boult).

An independent check of an interval, and the way to one for a statistic that nobody has a formula for.
"""
