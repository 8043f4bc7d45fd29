"""The only reader of files and environment: one stratawatch.toml, overrides from the environment, secret references."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stratawatch.config.loading import Configuration


def load(path: str | Path) -> "Configuration":
    """Read and check a configuration; raises ConfigProblems with everything that is wrong with it."""
    from stratawatch.config.loading import load_configuration

    return load_configuration(Path(path))
