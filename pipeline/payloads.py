"""Typed protocol messages: which texts are JSON of a protocol, and of which kind."""

from functools import lru_cache
from typing import Any, NamedTuple

import msgspec

PROTOCOLS = ("imap", "sd", "dsm")


class Payload(NamedTuple):
    """A protocol's message: protocol, kind (None when it is no text), and the JSON object it stood in."""

    protocol: str
    kind: str | None
    body: dict[str, Any]


@lru_cache(maxsize=16384)
def read_payload(content: str) -> Payload | None:
    """The payload of a typed message, or None for anything else (English, other JSON, broken JSON)."""
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
