"""Answers kept by what was asked: the same question, the same answer, and nothing to pay."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import msgspec
from msgspec import Struct

from machine.files import write_whole
from sim.agents.llm.agent import Answer, Ask


class Entry(Struct, frozen=True):
    """One file of the cache: the SHA-256 of the question, the model, and the answer."""

    sha256: str
    model: str
    answer: Answer


def digest(ask: Ask) -> str:
    """The SHA-256 of all that was asked: model, conversation, parameters, and the repeat. No key is part of it."""
    return sha256(msgspec.json.encode(ask, order="deterministic")).hexdigest()


class Cache:
    """A folder with a JSON file for each answer."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, name: str) -> Path:
        """Where the answer of that digest stands."""
        return self.folder / name[:2] / f"{name}.json"

    def get(self, name: str) -> Answer | None:
        """The answer, or None where there is none; a file that can't be read counts as none and is written anew."""
        try:
            found = msgspec.json.decode(self.path(name).read_bytes(), type=Entry)
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):
            return None
        return found.answer if found.sha256 == name else None

    def put(self, name: str, model: str, answer: Answer) -> None:
        """Keep the answer; its file appears whole or not at all."""
        write_whole(self.path(name), [msgspec.json.encode(Entry(name, model, answer))])
