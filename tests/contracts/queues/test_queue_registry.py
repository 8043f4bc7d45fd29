"""Registered queues: each has a backend to be tested in, and loads only when used."""

import subprocess
import sys

from stratawatch.adapters.queues import REGISTRY
from tests.contracts.queues.conftest import BACKENDS


def test_every_registered_queue_is_under_contract():
    assert set(BACKENDS) == set(REGISTRY)


def test_the_registry_loads_no_adapter():
    code = "import sys, stratawatch.adapters.queues; print([m for m in sys.modules if m.endswith('queues.folder')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
