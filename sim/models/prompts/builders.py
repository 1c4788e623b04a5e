"""Who words what a model is told: our builders, or those of a Python file that a lab names (paper, Table 6).

Such a file is code, and runs as such. Each builder is called as the public benchmark calls its own.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any

from msgspec import Struct
from msgspec.structs import fields

from sim.models import ModelError
from sim.models.prompts import messages
from sim.text_files import read_text

# Changes with any wording of ours; a test pins it to the texts, so that a trace's prompts can be told apart by it.
VERSION = "1"

Builder = Callable[..., str]


class PromptsError(ModelError):
    """Why a file of builders can't be used: the file, the builder, and what is wrong with it."""


class Builders(Struct, frozen=True):
    """A builder for the system prompt and for each message."""

    build_system_prompt: Builder
    build_round_start_message: Builder
    build_turn_message: Builder
    build_decision_message: Builder
    build_voluntary_reschedule_message: Builder
    build_retry_message: Builder


NAMES = tuple(field.name for field in fields(Builders))
OURS = Builders(*(getattr(messages, name) for name in NAMES))


def origin(path: str | None) -> dict[str, str]:
    """What tells the prompts apart in a trace: the file's SHA-256, or our version where there is no file."""
    return {"base_version": VERSION} if path is None else {"file_sha256": sha256(source(path)).hexdigest()}


def load_builders(path: str | None) -> Builders:
    """The builders of the file, or ours. Raises PromptsError."""
    return OURS if path is None else builders_in(path, source(path))


def source(path: str) -> bytes:
    """The file's bytes, without a byte order mark and with the line ends of Unix. Raises PromptsError."""
    try:
        return read_text(Path(path)).encode()
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "no UTF-8"
        raise PromptsError(f"{path}: can't be read ({why}); name a Python file with {', '.join(NAMES)}") from error


@cache
def builders_in(path: str, code: bytes) -> Builders:
    """The builders that the code defines. Raises PromptsError where it can't be run or lacks one."""
    module = ModuleType(f"prompts_{sha256(code).hexdigest()[:16]}")
    module.__file__ = path
    sys.modules[module.__name__] = module  # where dataclasses look for their module
    try:
        exec(compile(code, path, "exec", dont_inherit=True), module.__dict__)
    except (Exception, SystemExit) as error:
        raise PromptsError(f"{path}: can't be run ({in_one_line(error)}); fix it, or name another file") from error
    missing = [name for name in NAMES if not callable(getattr(module, name, None))]
    if missing:
        raise PromptsError(f"{path}: has no {', '.join(missing)}; a file of prompts defines {', '.join(NAMES)}")
    return Builders(*(partial(text_of, path, name, getattr(module, name)) for name in NAMES))


def text_of(path: str, name: str, build: Builder, *values: Any, **named: Any) -> str:
    """What the file's builder of that name returns. Raises PromptsError where it raises, or returns no text."""
    try:
        text = build(*values, **named)
        if isinstance(text, str):
            text.encode()
    except (Exception, SystemExit) as error:
        raise PromptsError(f"{path}: {name} raises {in_one_line(error)}; fix it, or name another file") from error
    if not isinstance(text, str) or not text.strip():
        raise PromptsError(f"{path}: {name} returns {text!r:.40} and no text; let it return what the model is to read")
    return text


def protocol_of(channels: Sequence[str]) -> str:
    """The channels as the builders' `communication_protocol`: dm, or several with a plus sign between them."""
    return "+".join(channels)


def try_builders(path: str, channels: Sequence[str]) -> None:
    """Call each of the file's builders with a sample. Raises PromptsError where one fails, or where the system prompt
    does not name a group chat that is open."""
    builders, protocol = load_builders(path), protocol_of(channels)
    calendar = "Slot 0: [FREE]\nSlot 1: Errand #7 (cost=1) private_label='A haircut'"
    others = {"id": 1, "participants": [1, 2], "duration": 1}
    own = {"id": 1, "participants": [0, 1], "duration": 1, "private_label": "A recital"}
    talk = {"turn_index": 0, "max_turns_per_round": 15, "communication_protocol": protocol}
    inbox = [{"from": 1, "meeting_id": 1, "content": "Slot 0?", "channel": channel} for channel in channels]
    figures = {"agent_id": 0, "all_agent_ids": [0, 1, 2], "num_agents": 3, "num_slots": 2, "decision_retries": 3}
    prompt = builders.build_system_prompt(figures | {"communication_protocol": protocol})
    for meeting in (own, others):
        builders.build_round_start_message(meeting, calendar, round_num=0, incurred_penalty=0, **talk)
    for waiting in ([], inbox):
        builders.build_turn_message(waiting, **talk)
    builders.build_voluntary_reschedule_message(others, calendar)
    builders.build_decision_message(own, calendar)
    builders.build_retry_message(1, 4, "Expected exactly 1 schedule action, got 0.")
    if closed := next((channel for channel in channels if channel != "dm" and channel not in prompt), None):
        raise PromptsError(
            f"{path}: build_system_prompt does not name {closed} for the protocol {protocol}; leave it "
            "out of --channels, or let the prompt offer it"
        )


def in_one_line(error: BaseException) -> str:
    """The error's kind and what it says."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:200]
