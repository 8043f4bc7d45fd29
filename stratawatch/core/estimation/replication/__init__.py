"""Variances from labels one by one: balanced repeated replication (Micheals and Boult), and design effects of clusters.

Replicates check an interval independently, and give one for statistics without a variance formula.
"""
