"""JSON documents that records carry."""

from collections.abc import Mapping
from typing import Any

from stratawatch.engine.model.input_profile import InputProfile as InputProfile  # noqa: PLC0414 - one of the records

Json = Mapping[str, Any]
