"""Typed protocol messages: which texts are JSON of a protocol, and of which kind."""

from functools import lru_cache
from typing import Any, NamedTuple

import msgspec

PROTOCOLS = ("imap", "sd", "dsm", "poll", "dpop", "secure")

# Longer messages are not remembered.
LONG = 10_000


class Payload(NamedTuple):
    """A protocol's message: protocol, kind (None when it is no text), and the JSON object it stood in."""

    protocol: str
    kind: str | None
    body: dict[str, Any]


def read_payload(content: str) -> Payload | None:
    """The payload of a typed message, or None for anything else (English, other JSON, broken JSON)."""
    if _is_prose(content):
        return None
    return _payload(content) if len(content) <= LONG else _payload.__wrapped__(content)


def _is_prose(content: str) -> bool:
    """Whether a look at its first letter tells that a text is no JSON object: quicker than remembering the text."""
    return content[:1].isalpha()


@lru_cache(maxsize=16384)
def _payload(content: str) -> Payload | None:
    if not content.lstrip().startswith("{"):
        return None
    try:
        body = msgspec.json.decode(content)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    for protocol in PROTOCOLS:
        if protocol in body:
            kind = body[protocol]
            return Payload(protocol, kind if isinstance(kind, str) else None, body)
    return None


def said_chars(content: str) -> int:
    """How much a message says: its length; for a protocol's JSON, the length of its keys and values alone."""
    if _is_prose(content):
        return len(content)
    return _said_chars(content) if len(content) <= LONG else _said_chars.__wrapped__(content)


@lru_cache(maxsize=16384)
def _said_chars(content: str) -> int:
    payload = read_payload(content)
    try:
        return len(content) if payload is None else _said(payload.body)
    except RecursionError:
        return len(content)


def _said(value: Any) -> int:
    kind = type(value)
    if kind is str:
        return len(value)
    if kind is int:
        return len(str(value))
    if kind is list:
        return sum(map(_said, value))
    if kind is dict:
        return sum(map(len, value)) + sum(map(_said, value.values()))
    return len(msgspec.json.encode(value))
