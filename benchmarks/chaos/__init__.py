"""Real processes, killed at every commit point and at random, against one that was left in peace."""
