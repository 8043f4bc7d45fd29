"""Every error a user can cause or meet, in one shape: what, expected, got, hint."""

from collections.abc import Sequence


class StratawatchError(Exception):
    """One sentence a user can act on. `key` is the key of an adapter's settings that is at fault, where it is one.

    >>> str(StratawatchError("column 'scroe' is missing", expected="score_lr", hint="check [columns]"))
    "column 'scroe' is missing; expected score_lr; check [columns]"
    """

    def __init__(self, what: str, *, expected: str = "", got: str = "", hint: str = "", key: str = "") -> None:
        self.what, self.expected, self.got, self.hint, self.key = what, expected, got, hint, key
        parts = (what, f"expected {expected}" if expected else "", f"got {got}" if got else "", hint)
        super().__init__("; ".join(part for part in parts if part))


class ConfigError(StratawatchError):
    """The configuration cannot be used as it is."""


class NotFound(StratawatchError):  # noqa: N818 - what was asked for, not what went wrong
    """The store has nothing of this number or name."""


class ConfigErrors(ConfigError):  # noqa: N818 - it holds all of them
    """Several at once: `each` has them all, the sentence the first and how many more there are."""

    def __init__(self, each: Sequence[ConfigError]) -> None:
        self.each = tuple(each)
        first, more = self.each[0], len(self.each) - 1
        rest = f"this is the first of {more + 1} faults, `stratawatch check` tells all" if more else ""
        hint = "; ".join(words for words in (first.hint, rest) if words)
        super().__init__(first.what, expected=first.expected, got=first.got, hint=hint)


class InputRefused(StratawatchError):  # noqa: N818 - the state it leads to is called refused
    """The predictions of a window are not fit to be judged; retrying will not help."""


class PlanImpossible(StratawatchError):  # noqa: N818 - reads as the sentence it is
    """No allocation of labels satisfies what was asked."""


class Unreachable(StratawatchError):  # noqa: N818 - reads as the sentence it is
    """A source, queue, channel or store did not answer; retrying may help."""


class NoConnection(Unreachable):
    """The server at an address did not let this program in: it is down, or the address or the password is wrong."""


class NoAnswer(Unreachable):
    """What was sent got no answer in time: it may have arrived."""


class SchemaMismatch(StratawatchError):  # noqa: N818 - reads as the sentence it is
    """The store's schema is older or newer than this program."""


class StaleState(StratawatchError):  # noqa: N818 - reads as the sentence it is
    """A compare-and-set move found another state than it expected: someone else was faster."""


class ClockDoubted(StratawatchError):  # noqa: N818 - reads as the sentence it is
    """The machine's clock cannot be right."""


class LeaseHeld(StratawatchError):  # noqa: N818 - reads as the sentence it is
    """Another process is advancing; this one has nothing to do."""
