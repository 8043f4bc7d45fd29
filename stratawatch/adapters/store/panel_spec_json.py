"""Panel specifications as JSON: exact in both directions, and fingerprinted."""

import json
from hashlib import sha256
from typing import Any, cast

from stratawatch.adapters.store.json_codec import as_document, from_document
from stratawatch.engine.model.document import Json
from stratawatch.engine.model.panel_spec import PanelSpec


def spec_to_json(spec: PanelSpec) -> dict[str, Any]:
    """A specification as plain JSON values; durations in seconds, times in ISO form."""
    return cast("dict[str, Any]", as_document(spec))


def spec_from_json(document: Json) -> PanelSpec:
    """The specification that `spec_to_json` wrote."""
    return cast("PanelSpec", from_document(PanelSpec, document))


def fingerprint(document: Json) -> str:
    """The same specification, the same text, in whatever order its keys stand."""
    return sha256(json.dumps(document, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
