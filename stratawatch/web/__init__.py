"""Pages for people who label."""
