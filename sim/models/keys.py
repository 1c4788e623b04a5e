"""Keys: read from the environment when they are needed, and kept out of every text."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from importlib.util import find_spec
from urllib.parse import quote, quote_plus

from sim.models.spec import LlmParameters

REDACTED = "[redacted]"
SHORTEST = 6
SECRET_ENDINGS = ("KEY", "TOKEN", "SECRET", "PASSWORD")
# What a server without keys is sent: the client insists on one.
NO_KEY = "none"


class KeyMissing(ValueError):
    """What a model needs before it can be asked: which variable or package, and what to do."""


def key_of(p: LlmParameters) -> str | None:
    """The key of the model's provider. Raises KeyMissing where its variable is not set."""
    if p.api_key_env is None:
        return NO_KEY if p.api_base else None
    key = os.environ.get(p.api_key_env, "").strip()
    if not key:
        raise KeyMissing(f"{p.model}: the environment variable {p.api_key_env} is not set; export it with the key")
    return key


def check_access(p: LlmParameters) -> None:
    """Raises KeyMissing where a variable or a package that the model needs is missing."""
    key_of(p)
    for name in p.needs_env:
        if not os.environ.get(name):
            raise KeyMissing(f"{p.model}: the environment variable {name} is not set; see docs/models.md")
    if p.model.startswith("vertex_ai/") and (find_spec("google") is None or find_spec("google.auth") is None):
        raise KeyMissing(f"{p.model}: Vertex AI needs a package; install it with `uv pip install google-auth`")


def secrets(named: Iterable[str | None]) -> tuple[str, ...]:
    """The values of the variables named as keys, and of those that look like keys by their names; longest first."""
    names = {n for n in named if n} | {n for n in os.environ if n.upper().endswith(SECRET_ENDINGS)}
    values = {os.environ.get(n, "").strip() for n in names}
    forms = {form for value in values if len(value) >= SHORTEST for form in written(value)}
    return tuple(sorted(forms, key=lambda v: (-len(v), v)))


def written(key: str) -> set[str]:
    """The ways in which an echo of a request may write a key: plain, in a JSON string, in an address."""
    return {key, json.dumps(key)[1:-1], quote(key, safe=""), quote_plus(key)}


def redact(text: str, hidden: Iterable[str]) -> str:
    """The text without the secrets."""
    for value in hidden:
        text = text.replace(value, REDACTED)
    return text
