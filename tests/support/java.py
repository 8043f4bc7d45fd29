"""Spark runs on Java, which pip does not bring: a machine without it can test all the rest, but CI has it."""

import os
from shutil import which

import pytest


def needs_java() -> None:
    """Pass over a test where there is no Java; in CI that is a failure."""
    if which("java") is None and "JAVA_HOME" not in os.environ:
        (pytest.fail if os.environ.get("CI") else pytest.skip)("Spark's tests want Java 17 or newer on the PATH")
