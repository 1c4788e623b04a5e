"""Typed messages: texts that are a protocol's JSON, decoded into a record of their kind."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec

from pipeline.traces.typed_messages.records import DECODERS, TYPED_PROTOCOLS, Record

__all__ = ["TypedContent", "decode_message", "said_chars"]

# Longer messages are not cached.
CACHED_CHARS = 10_000


class TypedContent(NamedTuple):
    """A decoded typed message.

    source: protocol and kind, "imap_costs", as in belief_evidence. kind: None where it is no text. body: the JSON
    object. record: its validated fields; None for a kind that reveals nothing of slots. chars: length of its keys and
    values.
    """

    source: str
    protocol: str
    kind: str | None
    body: dict[str, Any]
    record: Record | None
    chars: int


def decode_message(content: str) -> TypedContent | None:
    """The decoded message; None for anything but a protocol's JSON (English, other JSON, broken JSON)."""
    # Faster than a look into the cache: no JSON object begins with a letter.
    if content[:1].isalpha():
        return None
    return _decode(content) if len(content) <= CACHED_CHARS else _decode.__wrapped__(content)


@lru_cache(maxsize=16384)
def _decode(content: str) -> TypedContent | None:
    if not content.lstrip().startswith("{"):
        return None
    try:
        return _typed(msgspec.json.decode(content), len(content))
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None


def _typed(body: dict[str, Any], chars: int) -> TypedContent | None:
    protocol = next((name for name in TYPED_PROTOCOLS if name in body), None)
    if protocol is None:
        return None
    kind = body[protocol] if isinstance(body[protocol], str) else None
    source = f"{protocol}_{kind}"
    decoder = DECODERS.get(source)
    return TypedContent(source, protocol, kind, body, decoder(body) if decoder else None, _chars(body, chars))


def said_chars(content: str) -> int:
    """The length of a message in characters; of a protocol's JSON, that of its keys and values alone."""
    typed = decode_message(content)
    return len(content) if typed is None else typed.chars


def _chars(body: dict[str, Any], otherwise: int) -> int:
    try:
        return _length((body,))
    except RecursionError:
        return otherwise


def _length(values: Iterable[Any]) -> int:
    """The length of the texts and numbers in JSON values, without punctuation."""
    length = 0
    for value in values:
        kind = type(value)
        if kind is str:
            length += len(value)
        elif kind is int:
            length += len(str(value))
        elif kind is list:
            length += _length(value)
        elif kind is dict:
            length += _length(value) + _length(value.values())
        else:
            length += len(msgspec.json.encode(value))
    return length
