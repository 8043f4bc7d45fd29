"""What is wrong with a configuration: every problem with its place, the wrong value and a remedy."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from stratawatch.errors import ConfigError, StratawatchError
from stratawatch.formatting import did_you_mean

Place = tuple[str | int, ...]
"""A key's path inside the file: ("panels", "toxicity", "goals", 0, "metric")."""


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong. `line` is its line in the file; `variable` the environment variable it came from."""

    place: Place
    what: str
    expected: str = ""
    got: str = ""
    hint: str = ""
    line: int | None = None
    variable: str | None = None

    @classmethod
    def of(cls, place: Place, error: StratawatchError) -> "Problem":
        """An error as the problem of a key."""
        return cls(place, error.what, error.expected, error.got, error.hint)

    @property
    def sentence(self) -> str:
        """The problem without its place."""
        return str(ConfigError(self.what, expected=self.expected, got=self.got, hint=self.hint))

    @property
    def where(self) -> str:
        """Where a person has to look."""
        parts = [dotted(self.place)] if self.place else []
        if self.variable:
            parts.append(f"environment variable {self.variable}")
        elif self.line:
            parts.append(f"line {self.line}")
        return ", ".join(parts)

    def __str__(self) -> str:
        return f"{self.where}: {self.sentence}" if self.where else self.sentence


class ConfigProblems(ConfigError):  # noqa: N818 - it holds all of them
    """Everything that is wrong with one configuration file."""

    def __init__(self, path: Path, problems: Sequence[Problem]) -> None:
        self.path, self.problems = path, tuple(problems)
        number = "1 problem" if len(self.problems) == 1 else f"{len(self.problems)} problems"
        lines = "\n".join(f"- {problem}" for problem in self.problems)
        super().__init__(f"{number} in {path.name}\n{lines}")


def dotted(place: Place) -> str:
    """A key's path as people write it.

    >>> dotted(("panels", "toxicity", "goals", 0, "metric"))
    'panels.toxicity.goals[1].metric'
    """
    text = ""
    for part in place:
        if isinstance(part, int):
            text += f"[{part + 1}]"  # people count from one
        else:
            text += f".{part}" if text else part
    return text


def nearest_or_all(wrong: str, names: Collection[str]) -> str:
    """A remedy for a name that does not exist: the nearest that does, or all of them."""
    every = f"known are: {', '.join(sorted(names))}" if names else ""
    return did_you_mean(wrong.lower(), sorted(names), every)
