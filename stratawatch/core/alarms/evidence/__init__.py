"""Evidence over windows that a metric has left its limit, by e-values: whatever it adds up to, luck alone is bounded.

An end of a limit is a linear test (`linear_tests`), each round of labels bets on it (`betting_round`, `e_values`), and
windows are folded into evidence (`e_detector`; against a baseline `drop_evidence`). `persistence` says where windows
share too many items for that.
"""
