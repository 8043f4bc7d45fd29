"""What the API answers, in OpenAPI 3.1."""

from typing import Any, Final

from stratawatch import __version__
from stratawatch.core.alarms.alarm_states import AlarmState

_TEXT: Final = {"type": "string"}
_MAYBE_TEXT: Final = {"type": ["string", "null"]}
_NUMBER: Final = {"type": "number"}
_MAYBE_NUMBER: Final = {"type": ["number", "null"]}
_WHOLE: Final = {"type": "integer"}
_COUNTED: Final = {**_WHOLE, "minimum": 0, "maximum": 999_999_999}
_MOMENT: Final = {"type": "string", "format": "date-time"}
_MAYBE_MOMENT: Final = {"type": ["string", "null"], "format": "date-time"}
_STATES: Final = [state.value for state in AlarmState]
_MAYBE_STATE: Final = {"enum": [*_STATES, None], "description": "Null where nothing has a limit, or nothing is judged."}


def _object(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _many(name: str, what: str) -> dict[str, Any]:
    return _object(**{name: {"type": "array", "items": {"$ref": f"#/components/schemas/{what}"}}})


_INCIDENT: Final = {
    "id": _WHOLE,
    "panel": _TEXT,
    "classifier": _TEXT,
    "metric": _TEXT,
    "segment": _MAYBE_TEXT,
    "kind": {"enum": _STATES},
    "opened_at": _MOMENT,
    "resolved_at": _MAYBE_MOMENT,
    "since": {**_MAYBE_MOMENT, "description": "The window in which the loss most likely began."},
    "acknowledged_at": _MAYBE_MOMENT,
    "acknowledged_by": _MAYBE_TEXT,
    "silent_until": _MAYBE_MOMENT,
}
_SCHEMAS: Final = {
    "Panel": _object(
        panel=_TEXT,
        state=_MAYBE_STATE,
        sentence={**_TEXT, "description": "What its report says first."},
        harm={"type": "array", "items": _TEXT, "description": "Of each open breach, in words."},
        more_wrong={**_NUMBER, "description": "Wrong calls of the newest window beyond the usual."},
        since=_MAYBE_MOMENT,
        open_incidents={"type": "array", "items": _WHOLE},
        window_start=_MAYBE_MOMENT,
        window_end=_MAYBE_MOMENT,
    ),
    "Estimate": _object(
        panel=_TEXT,
        classifier=_TEXT,
        metric=_TEXT,
        segment=_MAYBE_TEXT,
        value={**_MAYBE_NUMBER, "description": "Null where it cannot be told."},
        low=_MAYBE_NUMBER,
        high=_MAYBE_NUMBER,
        n_eff={**_MAYBE_NUMBER, "description": "The labels of a plain random sample that would tell as much."},
        confidence=_NUMBER,
        labels_used=_WHOLE,
        state=_MAYBE_STATE,
        window_end=_MOMENT,
        estimated_at=_MOMENT,
    ),
    "Incident": _object(**_INCIDENT),
    "IncidentWithHistory": _object(
        **_INCIDENT, history={"type": "array", "items": _object(at=_MOMENT, what=_TEXT, text=_TEXT)}
    ),
    "Error": _object(error=_TEXT),
}


def _get(summary: str, schema: dict[str, Any], *parameters: dict[str, Any]) -> dict[str, Any]:
    def answer(description: str, content: dict[str, Any]) -> dict[str, Any]:
        return {"description": description, "content": {"application/json": {"schema": content}}}

    error = {"$ref": "#/components/schemas/Error"}
    others = {"401": answer("No token that is known here.", error), "503": answer("The store cannot be read.", error)}
    if parameters:
        others["404"] = answer("There is none.", error)
    found = {"summary": summary, "responses": {"200": answer("Found.", schema), **others}}
    return {"get": {**found, "parameters": list(parameters)} if parameters else found}


def _query(name: str, description: str) -> dict[str, Any]:
    return {"name": name, "in": "query", "required": False, "schema": _TEXT, "description": description}


DESCRIPTION: Final[dict[str, Any]] = {
    "openapi": "3.1.0",
    "info": {
        "title": "stratawatch",
        "version": __version__,
        "description": "What the dashboard shows, for programs. It is only read; times are in UTC.",
    },
    "servers": [{"url": "/dashboard/api"}],
    "security": [{"token": []}],
    "paths": {
        "/panels": _get("Every panel, the most urgent first", _many("panels", "Panel")),
        "/estimates": _get(
            "The newest estimates",
            _many("estimates", "Estimate"),
            _query("panel", "Only of this panel."),
            _query("classifier", "Only of this classifier."),
        ),
        "/incidents": _get("Incidents, the open ones first, at most 200", _many("incidents", "Incident")),
        "/incidents/{number}": _get(
            "One incident, with what happened to it",
            {"$ref": "#/components/schemas/IncidentWithHistory"},
            {
                "name": "number",
                "in": "path",
                "required": True,
                "schema": _COUNTED,
            },
        ),
    },
    "components": {
        "schemas": _SCHEMAS,
        "securitySchemes": {"token": {"type": "http", "scheme": "bearer", "description": "Of `stratawatch invite`."}},
    },
}
