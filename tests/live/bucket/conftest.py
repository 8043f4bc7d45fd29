"""A bucket on moto's server of S3."""

from uuid import uuid4

import pytest

from tests.support.buckets import BucketBackend, live_storage, server


@pytest.fixture
def place():
    """The prefix of a queue of its own."""
    return uuid4().hex


@pytest.fixture
def backend(place):
    return BucketBackend(live_storage(place, server()))
