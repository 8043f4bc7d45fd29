"""Registered queues: each has a world to be tested in, and loads only when used."""

import subprocess
import sys

import pytest

from stratawatch.adapters.queues import REGISTRY, load
from stratawatch.errors import ConfigError
from tests.contracts.queues.conftest import WORLDS


def test_every_registered_queue_is_under_contract():
    assert set(WORLDS) == set(REGISTRY)


def test_an_unknown_kind_names_the_known_ones():
    with pytest.raises(ConfigError, match=r"'floder'.*folder"):
        load("floder")


def test_the_registry_loads_no_adapter():
    code = "import sys, stratawatch.adapters.queues; print([m for m in sys.modules if m.endswith('queues.folder')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
