import pytest

from stratawatch.demo.world import World, build_world


@pytest.fixture(scope="session")
def world() -> World:
    return build_world(20260105)
