"""Files that are no good traces, each with what happens to it: what docs/reliability.md promises, and tests hold."""

import copy
import gzip
import json
import os
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import zstandard
from trace_builder import CALENDARS, toy_game

# Bounds in force while the examples are read: the real ones, made small.
SMALL = {
    "TRACE_BYTES": 3_000_000,
    "FILE_BYTES": 6_000_000,
    "LINES": 40,
    "BAD_LINES": 8,
    "CELLS": 2_000,
    "DELIVERED_CHARS": 500_000,
    "DELIVERED_CLAIMS": 500,
}

Make = Callable[[Path, str], None]


@dataclass(frozen=True)
class Example:
    """`make` writes the file, for a game called by its second argument; `reason` is "" for what is read all the same.

    `read` says how; `as_usual`: its rows are those of the plain toy game. `line` is what follows its path in a pack.
    """

    what: str
    name: str
    make: Make
    reason: str = ""
    place: str = ""
    read: str = ""
    as_usual: bool = False
    line: str = ""


def pack(text: bytes, name: str) -> bytes:
    """The text compressed as the file's name asks."""
    if name.endswith(".gz"):
        return gzip.compress(text, 1)
    return zstandard.ZstdCompressor().compress(text) if name.endswith(".zst") else text


def wrote(content: Callable[[str], bytes]) -> Make:
    """Write what is made of the game's name."""
    return lambda path, game: path.write_bytes(content(game)) and None


def raw(content: bytes) -> Make:
    return wrote(lambda game: content)


def toy(game: str) -> bytes:
    return toy_game(game).text()


def changed(*changes: tuple[str, Any]) -> Callable[[str], bytes]:
    """A toy game with values set at places such as `events.4.data.round`; `…` takes them out."""

    def make(game: str) -> bytes:
        content = toy_game(game).content
        for place, value in changes:
            *before, last = [int(step) if step.isdigit() else step for step in place.split(".")]
            found: Any = content
            for step in before:
                found = found[step]
            if value is ...:
                del found[last]
            else:
                found[last] = copy.deepcopy(value)
        return json.dumps(content).encode()

    return make


def added(*events: tuple[str, dict[str, Any]]) -> Callable[[str], bytes]:
    """A toy game with events behind it: its seventeenth, and so on."""

    def make(game: str) -> bytes:
        trace = toy_game(game)
        for kind, data in events:
            trace.event(kind, **data)
        return trace.text()

    return make


def value(what: str, place: str, given: Any, reason: str, where: str | None = None) -> Example:
    """A toy game with one wrong value."""
    shown = "".join(f"[{step}]" if step.isdigit() else f".{step}" for step in place.split("."))
    return Example(what, "x.json", wrote(changed((place, given))), reason, shown if where is None else where)


def event(what: str, kind: str, data: dict[str, Any], reason: str, field: str) -> Example:
    """A toy game and one event too much, its seventeenth."""
    return Example(what, "x.json", wrote(added((kind, data))), reason, f".events[17].data{field}")


def text(
    what: str, name: str, content: Callable[[str], bytes] | bytes, reason: str, place: str, line: str = ""
) -> Example:
    made = raw(content) if isinstance(content, bytes) else wrote(content)
    return Example(what, name, made, reason, place, line=line)


def fine(what: str, name: str, content: Callable[[str], bytes], read: str, as_usual: bool = True) -> Example:
    return Example(what, name, wrote(content), read=read, as_usual=as_usual)


def packed(name: str, content: Callable[[str], bytes]) -> Callable[[str], bytes]:
    return lambda game: pack(content(game), name)


def half(content: Callable[[str], bytes]) -> Callable[[str], bytes]:
    return lambda game: content(game)[: len(content(game)) // 2]


def special(what: str, make: Callable[[Path], object], reason: str) -> Example:
    return Example(what, "x.json", lambda path, game: make(path) and None, reason, "file")


def listen(path: Path) -> None:
    """Leave a socket at the path, which may be longer than a socket's address."""
    here = os.open(path.parent, os.O_RDONLY)
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(f"/proc/self/fd/{here}/{path.name}")
    os.close(here)


def huge_message(game: str) -> bytes:
    return toy_game(game).dm(1, 1, 2, "a" * 1_000_001).text()


def many_cells(game: str) -> bytes:
    trace = toy_game(game)
    for number in range(2, 600):
        trace.round(number).rendered(number, 0, CALENDARS[0])
    return trace.text()


def deep(game: str) -> bytes:
    return toy(game)[:-1] + b', "x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
