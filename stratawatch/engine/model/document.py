"""JSON documents that records carry."""

from collections.abc import Mapping
from typing import Any

Json = Mapping[str, Any]
