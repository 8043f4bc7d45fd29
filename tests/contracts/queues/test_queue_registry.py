"""Registered queues: each has a backend to be tested in, and loads only when used."""

from stratawatch.adapters.queues import REGISTRY
from tests.contracts.queues.conftest import BACKENDS
from tests.support.programs import loaded


def test_every_registered_queue_is_under_contract():
    assert {kind.partition(":")[0] for kind in BACKENDS} == set(REGISTRY)


def test_the_registry_loads_no_adapter():
    assert loaded("import stratawatch.adapters.queues", ["stratawatch.adapters.queues.folder"]) == set()
