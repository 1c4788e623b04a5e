"""The messages that the second reader is asked about, and the claims that its replies hold."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from pipeline.privacy.language.messages import TYPED
from pipeline.privacy.rules import Claim, RuleSet
from pipeline.statistics.resampling import stream
from pipeline.tables.io import read_table
from pipeline.tables.paths import tables_problem

FENCED = re.compile(r"\s*```[a-zA-Z]*\n(.*)\n```\s*", re.DOTALL)
UNLOCATED = "unlocated"
SHOWN_CHARS = 80


class Question(NamedTuple):
    """A message to read: who sent it, how many agents and slots its game has, and its text."""

    sender: int
    agents: int
    slots: int
    message: str

    @property
    def text(self) -> str:
        """The question as JSON: whatever the message says, it stays a value in there."""
        return json.dumps(self._asdict(), ensure_ascii=False)


class Asked(NamedTuple):
    """A message of a game, and the question that it comes to."""

    game_id: str
    event_index: int
    question: Question


def read_messages(tables: Path, sample: int | None = None, seed: str = "judge sample") -> list[Asked]:
    """The English messages of a folder of tables, by game and event; so many of them, where a sample is wanted.

    A sample is drawn without replacement from the stream called `seed`; a larger one of the same name holds it.
    Raises FileNotFoundError or ValueError, saying what to do, where the tables are not there or not of this pipeline.
    """
    if problem := tables_problem(tables):
        raise FileNotFoundError(problem)
    missing = next((name for name in ("messages", "games") if not (tables / f"{name}.parquet").is_file()), None)
    if missing:
        raise FileNotFoundError(f"no {missing}.parquet in {tables}: derive tables first (python -m pipeline derive)")
    messages = english(read_table(tables, "messages"), read_table(tables, "games"))
    if sample is not None and sample < len(messages):
        chosen = stream(seed).permutation(len(messages))[:sample]
        return [messages[i] for i in np.sort(chosen)]
    return messages


def english(messages: pl.DataFrame, games: pl.DataFrame) -> list[Asked]:
    """The messages that the parser reads as English: no protocol's JSON, and no other or broken JSON."""
    known = games.select("game_id", "num_agents", "num_slots")
    rows = messages.filter(pl.col("typed").is_null()).join(known, on="game_id", how="inner")
    columns = ("game_id", "event_index", "from_agent", "num_agents", "num_slots", "content")
    return [
        Asked(game, event, Question(*question))
        for game, event, *question in rows.sort("game_id", "event_index").select(columns).iter_rows()
        if not TYPED.match(question[-1])
    ]


@dataclass(frozen=True)
class Refused:
    """What could not be used: a claim by its place in the reply, from 0, or the whole reply (None); and why."""

    place: int | None
    reason: str


@dataclass(frozen=True)
class Reading:
    """A reply as the judge meant it: its claims, and what could not be used. `whole` replies were read."""

    claims: tuple[Claim, ...] = ()
    refused: tuple[Refused, ...] = ()
    reply: str = ""

    @property
    def whole(self) -> bool:
        """Whether the reply as such could be read, whatever became of its claims."""
        return all(refused.place is not None for refused in self.refused)


def read_reply(reply: str, cut: bool, question: Question, rules: RuleSet) -> Reading:
    """The claims of a reply, each once; `cut` says that the provider ended it at its limit of tokens."""
    try:
        listed = listed_claims(reply)
    except ValueError as error:
        reason = "the reply was cut off at its limit of tokens" if cut else str(error)
        return Reading(refused=(Refused(None, reason),), reply=reply)
    claims: dict[Claim, None] = {}
    refused = []
    for place, item in enumerate(listed):
        problem = problem_of(item, question, rules)
        if problem:
            refused.append(Refused(place, problem))
        else:
            claims[claim(item, question, rules)] = None
    return Reading(tuple(claims), tuple(refused), reply)


def listed_claims(reply: str) -> list[Any]:
    """The list of claims in a reply; a code fence around all of it is passed over. Raises ValueError, saying why."""
    if not reply.strip():
        raise ValueError("the reply is empty")
    fenced = FENCED.fullmatch(reply)
    text = fenced[1] if fenced else reply
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError("text around the JSON" if holds_object(text) else "not JSON") from None
    if not isinstance(parsed, dict) or not isinstance(parsed.get("claims"), list):
        raise ValueError("no list of claims in the JSON")
    return list(parsed["claims"])


def holds_object(text: str) -> bool:
    """Whether a whole JSON object begins at the text's first brace."""
    start = text.find("{")
    try:
        return start >= 0 and isinstance(json.JSONDecoder().raw_decode(text, start)[0], dict)
    except (ValueError, RecursionError):
        return False


def problem_of(item: Any, question: Question, rules: RuleSet) -> str | None:
    """Why a claim can't be used; None where it can."""
    if not isinstance(item, dict):
        return "a claim that is no object"
    return next(problems(item, question, rules), None)


def problems(item: dict[str, Any], question: Question, rules: RuleSet) -> Iterator[str]:
    """What is wrong with a claim: its class, its target, its slot, its quote."""
    kind, target, slot, quote = (item.get(name) for name in ("class", "target", "slot", "quote"))
    if not isinstance(kind, str) or kind not in rules.language:
        yield f"unknown class {shown(kind)}"
    if not is_place(target, question.agents):
        yield f"target {shown(target)} is none of the agents 0 to {question.agents - 1}"
    if not is_place(slot, question.slots):
        yield f"slot {shown(slot)} is outside the calendar of 0 to {question.slots - 1}"
    if not isinstance(quote, str) or not quote or quote not in question.message:
        yield f"{UNLOCATED}: the message does not hold the quote {shown(quote)}"


def is_place(value: Any, number: int) -> bool:
    """Whether a value is a whole number from 0 up to, not including, the number."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < number


def shown(value: Any) -> str:
    """A value as a reason shows it: on one line, in ASCII, cut where it is long."""
    try:
        text = ascii(value)
    except RecursionError:
        return f"a {type(value).__name__} nested too deep"
    return text if len(text) <= SHOWN_CHARS else f"{text[:SHOWN_CHARS]}..."


def claim(item: dict[str, Any], question: Question, rules: RuleSet) -> Claim:
    """A claim that can be used, as the parser would record it; the span is where the quote stands first."""
    quote = item["quote"]
    start = question.message.index(quote)
    return (item["target"], item["slot"], *rules.language[item["class"]], quote, start, start + len(quote))
