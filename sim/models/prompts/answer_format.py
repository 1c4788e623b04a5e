"""How a model is held to the form of its answers, where its team asks for that: by a JSON Schema or by a tool."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from sim.game.game import CHANNELS

AnswerFormat = Literal["schema", "tools"]
Schema = dict[str, Any]

TOOL = "answer"
TEXT, INTEGER = {"type": "string"}, {"type": "integer"}
ACTIONS: dict[str, Schema] = {
    "dm": {"to": INTEGER, "content": TEXT},
    "participant_groupchat": {"content": TEXT},
    "all_groupchat": {"content": TEXT},
    "schedule": {"meeting_id": INTEGER, "slot": INTEGER},
    "reschedule": {"item_id": INTEGER, "from_slot": INTEGER, "to_slot": INTEGER},
}


def answer_schema(channels: Sequence[str]) -> Schema:
    """The JSON Schema of an answer with messages in these channels: an object of `thinking` and `actions` (D.5)."""
    kinds = [kind for kind in ACTIONS if kind in channels or kind not in CHANNELS]
    actions = [closed({"type": {"type": "string", "enum": [kind]}, **ACTIONS[kind]}) for kind in kinds]
    return closed({"thinking": TEXT, "actions": {"type": "array", "items": {"anyOf": actions}}})


def closed(properties: Schema) -> Schema:
    """An object with all of these properties and no others, as strict providers want it."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def format_arguments(answer_format: AnswerFormat | None, channels: Sequence[str]) -> dict[str, Any]:
    """What a call says of the answer's form, as OpenAI's API words it; nothing where the prompt alone does."""
    if answer_format == "schema":
        schema = {"name": TOOL, "strict": True, "schema": answer_schema(channels)}
        return {"response_format": {"type": "json_schema", "json_schema": schema}}
    if answer_format == "tools":
        about = "Hand in your answer: your thinking, and the actions to carry out."
        function = {"name": TOOL, "description": about, "parameters": answer_schema(channels)}
        choice = {"type": "function", "function": {"name": TOOL}}
        return {"tools": [{"type": "function", "function": function}], "tool_choice": choice}
    return {}
