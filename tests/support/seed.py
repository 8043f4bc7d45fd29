"""The seed of the run's random tests: drawn once, printed, and the same in every worker."""

import os
from hashlib import sha256
from secrets import randbits

VARIABLE = "TEST_SEED"


def session_seed() -> int:
    """The run's seed: that of the environment, else one drawn now, which sub-processes and workers inherit."""
    return int(os.environ.setdefault(VARIABLE, str(randbits(32))))


def random_seed(name: str) -> int:
    """A seed for the tests of this name: another one in every run, and the same in every worker of a run."""
    return int.from_bytes(sha256(f"{session_seed()}:{name}".encode()).digest()[:4])
