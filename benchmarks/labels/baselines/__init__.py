"""What others would pay for the same goals, by formula, from the truth of a week that nobody has."""
