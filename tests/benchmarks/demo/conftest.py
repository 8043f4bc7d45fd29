import pytest

from stratawatch.demo.world import SimulatedWorld, build_world


@pytest.fixture(scope="session")
def world() -> SimulatedWorld:
    return build_world(20260105)
