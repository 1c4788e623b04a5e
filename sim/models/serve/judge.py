"""The stub's judge: the claims of one message, read by the simulated speakers' own reader.

It stands in for a model where the path of a second reader is tried out (docs/language.md); it says nothing about any
model. It shares nothing with the parser that it is set beside: what the two agree on, they found each on its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sim.agents.english.reader import LONGEST, SENTENCE, Claim, normal, sentence_claims
from sim.models.spec import SIMULATED

STYLE = "judge"
# It answers to names that say what it is, so that whatever keeps a model's name says so too.
MODEL = f"{SIMULATED}judge"
NOBODY = -1  # whom the reader is: the message's recipients are not told


def refusal(model: str) -> str | None:
    """Why it does not answer to the name; None where it does."""
    if model.rpartition("/")[2].startswith(SIMULATED):
        return None
    return f"the judge here is simulated and answers only to names that say so, like {MODEL}"


def judge(messages: Sequence[Mapping[str, Any]]) -> str:
    """The answer to a question, as JSON text; no claims where the last message is no question."""
    asked = question(str(messages[-1].get("content"))) if messages else None
    claims = list(claims_of(*asked)) if asked else []
    return json.dumps({"claims": claims})


def question(text: str) -> tuple[str, int, int] | None:
    """The message, its sender, and the number of slots that a question names; None for any other text."""
    try:
        asked = json.loads(text)
        return str(asked["message"]), int(asked["sender"]), int(asked["slots"])
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return None


def claims_of(message: str, sender: int, num_slots: int) -> Iterator[dict[str, Any]]:
    """The claims of each sentence that is no question; the quote is the sentence."""
    if message[:1] in ("{", "["):
        return
    before: list[Claim] = []
    # What `normal` does to a text changes none of its sentence ends.
    plain = SENTENCE.findall(normal(message[:LONGEST]))
    for sentence, quote in zip(plain, SENTENCE.findall(message[:LONGEST]), strict=True):
        if "?" in sentence:
            continue
        stated = list(sentence_claims(sentence, sender, NOBODY, num_slots, before))
        before += stated
        for claim in dict.fromkeys(stated):
            yield {"target": claim.target, "slot": claim.slot, "class": claim.kind, "quote": quote.strip()}
