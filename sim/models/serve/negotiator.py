"""What the stub server answers: negotiators' turns, and the second reader's questions."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from sim.agents.english.reader import LONGEST, SENTENCE, Claim, normal, sentence_claims
from sim.models.parse import parse
from sim.models.spec import SIMULATED, is_simulated

STYLE = "judge"
# It answers to names that say what it is, so that whatever keeps a model's name says so too.
MODEL = f"{SIMULATED}judge"
NOBODY = -1  # whom the reader is: the message's recipients are not told


def refusal(model: str) -> str | None:
    """Why it does not answer to the name; None where it does."""
    if is_simulated(model):
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


STYLES = ("plain", "candid", "silent")
OFFER = 5

SLOT_LINE = re.compile(r"^Slot +(\d+): (.*)$", re.MULTILINE)
INBOX_LINE = re.compile(r"^\[\d+\] From Agent (\d+) \(meeting (\d+)[^)]*\): (.*(?:\n    .*)*)", re.MULTILINE)
ITEM = re.compile(r"(Blocked Errand|Errand|Meeting) [#M](\d+) \(cost=(\d+)\)")
LABEL = re.compile(r"private_label=(.+)$")
SETTLED = re.compile(r"take slot (\d+)")
GRADES = (
    (0, "{slots} suit me well.", re.compile(r"([^.]*) suit me well")),
    (1, "I can clear {slots} easily.", re.compile(r"I can clear ([^.]*) easily")),
    (100, "Clearing {slots} is inconvenient.", re.compile(r"Clearing ([^.]*) is inconvenient")),
    (1000, "Clearing {slots} is very hard.", re.compile(r"Clearing ([^.]*) is very hard")),
    (None, "I must rule out {slots}.", re.compile(r"I must rule out ([^.]*)")),
)


class Slot(Struct, frozen=True):
    """A slot as the prompt shows it: what it would take to clear it (None: impossible), the item, and its label."""

    grade: int | None
    item_id: int | None = None
    label: str | None = None


class View(Struct, frozen=True):
    """What a conversation tells: who I am, the round's meeting, my calendar, and what was said in the round.

    `sent` are my own messages (to, content), `received` the others' (from, content), in order.
    """

    me: int
    phase: str
    meeting: int
    participants: tuple[int, ...]
    slots: Mapping[int, Slot]
    sent: Sequence[tuple[int, str]]
    received: Sequence[tuple[int, str]]
    last_turn: bool

    @property
    def lead(self) -> int:
        """The participant who offers and decides."""
        return min(self.participants)

    @property
    def free(self) -> list[int]:
        """My free slots, ascending."""
        return [s for s, slot in self.slots.items() if slot.item_id is None]


def negotiate(messages: Sequence[Mapping[str, Any]], style: str = "plain") -> str:
    """The answer to a conversation, as JSON text; no actions where the conversation is not one of ours."""
    view = read(messages)
    if view is None or style == "silent" or view.me not in view.participants:
        actions: list[dict[str, Any]] = []
    elif view.phase == "DECISION":
        actions = batch(view)
    elif view.me == view.lead:
        actions = lead(view)
    else:
        actions = follow(view, style)
    return json.dumps({"thinking": f"{len(actions)} action(s) now.", "actions": actions})


def read(messages: Sequence[Mapping[str, Any]]) -> View | None:
    """The view that the conversation gives, or None where it shows no round."""
    texts = [(str(m.get("role")), str(m.get("content") or "")) for m in messages]
    me = next((re.search(r"You are Agent (\d+)\.", t) for role, t in texts if role == "system"), None)
    begins = [i for i, (role, t) in enumerate(texts) if role == "user" and t.startswith("=== ROUND ")]
    if me is None or not begins:
        return None
    here = texts[begins[-1] :]
    meeting = re.search(r"Meeting ID: (\d+)", here[0][1])
    members = re.search(r"Participants: \[([\d, ]+)\]", here[0][1])
    prompts = [t for role, t in here if role == "user"]
    board = next((t for t in reversed(prompts) if SLOT_LINE.search(t)), None)
    phases = re.findall(r"^Phase: (\w+)", prompts[-1], re.MULTILINE)
    if meeting is None or members is None or board is None or not phases:
        return None
    number = int(meeting[1])
    return View(
        me=int(me[1]),
        phase=phases[0],
        meeting=number,
        participants=tuple(map(int, members[1].split(","))),
        slots=calendar(board),
        sent=[message for role, t in here if role == "assistant" for message in own_messages(t)],
        received=[(int(a), c) for t in prompts for a, m, c in INBOX_LINE.findall(t) if int(m) == number],
        last_turn=" 0 turn(s) remain" in prompts[-1],
    )


def calendar(text: str) -> dict[int, Slot]:
    """The slots that a rendered calendar shows."""
    lines = [(int(number), rest) for number, rest in SLOT_LINE.findall(text)]
    room = sum(rest.startswith("[FREE]") for _, rest in lines) > 0
    return {number: shown_slot(rest, room) for number, rest in lines}


def shown_slot(text: str, room: bool) -> Slot:
    """One slot of a rendered calendar; an errand can be moved only where there is room."""
    item = ITEM.match(text)
    if item is None:
        return Slot(0)
    label = LABEL.search(text)
    cost = int(item[3])
    grade = 1 if cost <= 1 else 100 if cost <= 100 else 1000
    movable = item[1] == "Errand" and room
    return Slot(grade if movable else None, int(item[2]), ast.literal_eval(label[1]) if label else None)


def own_messages(text: str) -> list[tuple[int, str]]:
    """The messages that an earlier answer sent."""
    actions = [a for a in parse(text).actions if isinstance(a, dict) and a.get("type") == "dm"]
    return [(a.get("to", -1), str(a.get("content"))) for a in actions]


def lead(view: View) -> list[dict[str, Any]]:
    """Offer slots, wait for the grades, offer more, and settle."""
    others = [a for a in view.participants if a != view.me]
    offered = sorted({s for _, text in view.sent for s in numbers(text)})
    if any(SETTLED.search(text) for _, text in view.sent):
        return []
    mine = {s: slot.grade for s, slot in view.slots.items() if slot.grade is not None}
    left = sorted((s for s in mine if s not in offered), key=lambda s: (mine[s], s))
    grades = {a: grades_of(text for sender, text in view.received if sender == a) for a in others}
    if offered and not view.last_turn and any(s not in grades[a] for a in others for s in offered):
        return []
    totals = {}
    for slot in offered:
        votes = [mine.get(slot), *(grades[a].get(slot) for a in others)]
        if all(g is not None for g in votes):
            totals[slot] = sum(g for g in votes if g is not None)
    best = min(totals, key=lambda s: (totals[s], s), default=None)
    if best is not None and (totals[best] < 100 or not left or view.last_turn):
        return tell(others, f"Let us take slot {best} for meeting {view.meeting}. Please write it into slot {best}.")
    if left and not view.last_turn:
        return tell(others, f"For meeting {view.meeting} I can offer {listed(left[:OFFER])}. How do they suit you?")
    return []


def follow(view: View, style: str) -> list[dict[str, Any]]:
    """Grade the slots that the lead has offered and I have not answered yet."""
    asked = {
        s for sender, text in view.received if sender == view.lead and "I can offer" in text for s in numbers(text)
    }
    open_slots = sorted(asked - {s for _, text in view.sent for s in numbers(text)})
    if not open_slots:
        return []
    parts = []
    for grade, phrase, _ in GRADES:
        slots = [s for s in open_slots if view.slots.get(s, Slot(None)).grade == grade]
        if slots:
            sentence = phrase.format(slots=listed(slots))
            parts.append(sentence[0].upper() + sentence[1:])
    if style == "candid":
        named = [(s, view.slots[s].label) for s in open_slots if s in view.slots and view.slots[s].label]
        parts += [f"What I have there is this: {label}." for _, label in named[:1]]
    return tell([view.lead], " ".join(parts))


def batch(view: View) -> list[dict[str, Any]]:
    """Write the meeting into the slot that was settled, moving what stands there to my first free slot."""
    source = [t for _, t in view.sent] if view.me == view.lead else [t for a, t in view.received if a == view.lead]
    settled = [m for text in source if (m := SETTLED.search(text))]
    if not settled:
        return []
    slot = int(settled[-1][1])
    item = view.slots.get(slot, Slot(None)).item_id
    target = next((s for s in view.free if s != slot), None)
    moves = []
    if item is not None and target is not None:
        moves = [{"type": "reschedule", "item_id": item, "from_slot": slot, "to_slot": target}]
    return [*moves, {"type": "schedule", "meeting_id": view.meeting, "slot": slot}]


def grades_of(contents: Any) -> dict[int, int | None]:
    """The grade of each slot that an agent's messages mention."""
    grades: dict[int, int | None] = {}
    for text in contents:
        for grade, _, pattern in GRADES:
            for match in pattern.findall(text):
                grades |= dict.fromkeys(numbers(match), grade)
    return grades


def numbers(text: str) -> list[int]:
    """The slots that a message lists after the word slot or slots."""
    lists = re.findall(r"[Ss]lots? ((?:\d+|, | and )+)", text)
    return [int(n) for part in lists for n in re.findall(r"\d+", part)]


def listed(slots: Sequence[int]) -> str:
    """Slots in words: slot 3, slots 3 and 5, slots 3, 5 and 8."""
    if len(slots) == 1:
        return f"slot {slots[0]}"
    return f"slots {', '.join(map(str, slots[:-1]))} and {slots[-1]}"


def tell(whom: Sequence[int], content: str) -> list[dict[str, Any]]:
    """The same message to each of them."""
    return [{"type": "dm", "to": a, "content": content} for a in whom]
