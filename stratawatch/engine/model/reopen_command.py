"""The command that opens a refused window again, as people are told it."""


def reopen_command(cycle: int | str) -> str:
    """What to type, as a whole.

    >>> reopen_command(1)
    'stratawatch cycles reopen 1 --why "..."'
    """
    return f'stratawatch cycles reopen {cycle} --why "..."'
