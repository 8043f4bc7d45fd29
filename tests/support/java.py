"""Spark runs on Java, which pip does not bring: a machine without it can run all the other tests."""

import os
from shutil import which

import pytest


def needs_java() -> None:
    """Fail a test where there is no Java."""
    if which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.fail("Spark's tests need Java 17 or newer on the PATH")
