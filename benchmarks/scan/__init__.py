"""The two population queries at size, against the time that it takes to read the same columns."""
