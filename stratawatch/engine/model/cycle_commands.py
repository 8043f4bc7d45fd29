"""What a person types to do something to a cycle, as a whole: the reason belongs to it."""


def cycle_command(verb: str, cycle: int | str = "ID") -> str:
    """What to type to cancel, reopen, rerun or resend a cycle.

    >>> cycle_command("reopen", 1)
    'stratawatch cycles reopen 1 --why "..."'
    """
    return f'stratawatch cycles {verb} {cycle} --why "..."'


def retire_advice(panel: str) -> str:
    """What to type once a panel left the configuration.

    >>> retire_advice("spam")
    '`stratawatch cycles retire spam --finish --why "..."` finishes them, --cancel in place of --finish ends them'
    """
    typed = f'`stratawatch cycles retire {panel} --finish --why "..."`'
    return f"{typed} finishes them, --cancel in place of --finish ends them"
