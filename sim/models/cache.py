"""Answers that were paid for, kept by what was asked: the same question, the same answer, and nothing to pay."""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path

import msgspec
from msgspec import Struct

from machine.output import check_room, write_atomically
from sim.models import ModelError
from sim.models.agent import Answer, Ask
from sim.models.checks import ADDRESS_EACH, LOCAL, addresses, named_variables, provider_of
from sim.models.library import litellm
from sim.models.prices import price_of
from sim.models.spec import LlmParameters, is_simulated


class Unwritable(ModelError):
    """A cache in which nothing can be kept: which, and what to do."""


def users_folder() -> Path:
    """Where a user's answers are kept unless another place is named: in the folder for caches of the system. Raises
    Unwritable where the user has none."""
    import platformdirs

    try:
        return platformdirs.user_cache_path("calbench") / "answers"
    except RuntimeError:
        advice = "name a folder with --cache"
        raise Unwritable(f"there is no home folder to keep answers in; {advice}") from None


class Entry(Struct, frozen=True):
    """One file of the cache: the SHA-256 of the question, the model, and the answer."""

    sha256: str
    model: str
    answer: Answer


def digest(ask: Ask) -> str:
    """The SHA-256 of all that was asked: model, conversation, parameters, and the repeat. Neither a key nor an address
    is part of it."""
    return sha256(msgspec.json.encode(ask, order="deterministic")).hexdigest()


def is_free(p: LlmParameters) -> bool:
    """Whether the model is on a server of somebody's own, and without a price: its team's or, where a variable names
    the address, LiteLLM's."""
    if p.prices is not None and (p.prices.input or p.prices.output):
        return False
    if provider_of(p) in LOCAL:
        return True
    by_variable = named_variables(p)
    elsewhere = bool(p.api_base or p.api_base_env or by_variable)
    if p.prices is not None or not elsewhere:
        return elsewhere
    return provider_of(p) not in ADDRESS_EACH and not (by_variable and price_of(p, litellm()))


def kept_as(ask: Ask, p: LlmParameters) -> str:
    """The digest under which the answer is kept: of the question and, where one name is another model at each
    customer's address, of that address."""
    where = addresses(p) or tuple(filter(None, map(os.environ.get, named_variables(p))))
    if provider_of(p) not in ADDRESS_EACH or not where:
        return digest(ask)
    return sha256("\n".join((digest(ask), *where)).encode()).hexdigest()


class Cache:
    """A folder with a JSON file for each answer. With `paid_only` it leaves out what costs nothing and may change under
    one name: models on servers of people's own, unless their team states a price, and simulated ones."""

    def __init__(self, folder: Path, paid_only: bool = False) -> None:
        self.folder = folder
        self.paid_only = paid_only

    def keeps(self, p: LlmParameters) -> bool:
        """Whether the model's answers are kept here."""
        return not self.paid_only or not (is_free(p) or is_simulated(p.model))

    def path(self, name: str) -> Path:
        """Where the answer of that digest stands."""
        return self.folder / name[:2] / f"{name}.json"

    def get(self, name: str) -> Answer | None:
        """The answer, or None where there is none; a file that can't be read counts as none and is written anew."""
        try:
            entry = msgspec.json.decode(self.path(name).read_bytes(), type=Entry)
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):
            return None
        return entry.answer if entry.sha256 == name else None

    def put(self, name: str, model: str, answer: Answer) -> None:
        """Keep the answer; its file appears whole or not at all. One that is kept already stays."""
        if self.get(name) is None:
            write_atomically(self.path(name), [msgspec.json.encode(Entry(name, model, answer))])

    def check_writable(self, advice: str) -> None:
        """Raise Unwritable, with the advice, where no answer could be kept: it would be paid for again."""
        try:
            check_room(self.folder)
        except OSError as error:
            raise Unwritable(f"answers can't be kept in {self.folder} ({error.strerror}): {advice}") from None
