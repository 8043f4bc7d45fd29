"""A simulated production with the truth of every item, against which estimates can be checked."""
