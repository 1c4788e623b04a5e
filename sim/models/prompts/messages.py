"""What a model is told by us: the system prompt, nine sections in a fixed order (paper, Appendix D.2), and the messages
that drive a round, one builder each (Appendix D.3 and Table 6)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

INTRODUCTION = """\
You are a scheduling assistant. You manage the calendar of one person and arrange meetings with other assistants, each \
of whom manages a calendar that only they can see. Meetings arrive one after the other; each gets a round of its own."""

RULES = """\
- One slot holds one item. Before a meeting can go into an occupied slot, the item there has to move to a free one.
- A meeting counts as scheduled only if every one of its participants writes it into the very same slot.
- A meeting that is already on the calendars stays in one common slot too: if it moves, each of its participants has \
to move it, in this round, to the same new slot. Move one alone and you break it for everybody.
- You pay the cost of every item that you move, each time you move it. Free slots cost nothing. Keep the total low."""

CONSTRAINTS = """\
- You see your own calendar and nothing of anybody else's. What others hold, you can only learn by asking.
- What your errands are about is private: name none of them, describe none of them, and quote no item numbers.
- What a meeting is about may be known to its participants only. Never tell it to an agent who does not take part.
- The cost values on your calendar are private as well: state no figures and no lists of costs.
- What you may say: which slots suit you, which don't, and how hard a change would be for you, in words."""

STRATEGY = """\
1. Look first for a slot that is free for every participant; offer several of your free slots at once.
2. If there is none, look for the slot whose items are, all participants together, easiest to move.
3. Don't give in at once: when a proposal would make you move something costly, say so and offer another slot.
4. Speak of difficulty in words only, such as easy, inconvenient or very hard to move, and let the words fit the cost.
5. When a slot is blocked by an earlier meeting, get every participant of that meeting to agree before you count on it.
6. Finish with one slot, named and confirmed by all participants, before the talking ends."""

SLOT_TYPES = """\
- [FREE]: nothing is there; a meeting or a moved item can go in.
- Blocked Errand: a commitment that can't be moved. Its slot is out of the question.
- Errand: a commitment of your own that you may move to a free slot, at its cost.
- Meeting: a meeting from an earlier round. Moving it costs you its cost and concerns all its participants."""

PHASES = """\
- CHEAP_TALK: the participants write to each other, turn by turn, to settle on a slot. A message arrives as soon as \
your turn ends. The talking ends after a sweep in which nobody wrote, or when the turns are used up.
- VOLUNTARY: an agent that does not take part but was written to may move items of its own, as it has promised.
- DECISION: each participant hands in one batch, without seeing the others': exactly one schedule, with the \
reschedules that make its slot free. The batch is carried out as a whole or not at all.
- RESOLUTION: the environment compares the calendars. The round succeeds if the participants wrote the same slot and \
no earlier meeting was torn apart. You do nothing here."""

CHANNEL_TOOLS = {
    "dm": ('{"type": "dm", "to": <agent id>, "content": "<text>"}', "a message to one agent"),
    "participant_groupchat": (
        '{"type": "participant_groupchat", "content": "<text>"}',
        "a message to all participants of the meeting in hand",
    ),
    "all_groupchat": ('{"type": "all_groupchat", "content": "<text>"}', "a message to all agents of the game"),
}

SCHEDULE = '{"type": "schedule", "meeting_id": <int>, "slot": <int>}'
RESCHEDULE = '{"type": "reschedule", "item_id": <int>, "from_slot": <int>, "to_slot": <int>}'

SECTIONS = (
    "Rules",
    "Important Constraints",
    "Negotiation Strategy",
    "Calendar Slot Types",
    "Tools",
    "Phases",
    "Response Format",
    "Identity",
    "Environment Parameters",
)


def build_system_prompt(game_config: Mapping[str, Any]) -> str:
    """The system prompt of one agent: the nine sections, each under its name.

    game_config: `agent_id`, `all_agent_ids`, `num_agents`, `num_slots`, `decision_retries` and
    `communication_protocol`, the open channels with a plus sign between them.
    """
    agent, agents = game_config["agent_id"], game_config["all_agent_ids"]
    channels = game_config["communication_protocol"].split("+")
    texts = (
        RULES,
        CONSTRAINTS,
        STRATEGY,
        SLOT_TYPES,
        tools(channels),
        PHASES,
        response_format(next((a for a in agents if a != agent), agent), channels[0]),
        f"You are Agent {agent}. The agents of this game are: {', '.join(map(str, agents))}.",
        environment(game_config["num_agents"], game_config["num_slots"], game_config["decision_retries"]),
    )
    sections = [f"## {name}\n\n{text}" for name, text in zip(SECTIONS, texts, strict=True)]
    return "\n\n".join([INTRODUCTION, *sections])


def tools(channels: Sequence[str]) -> str:
    """The tool calls that the game takes, and when: only the open channels are listed."""
    messages = "\n".join(f"- `{CHANNEL_TOOLS[c][0]}`: {CHANNEL_TOOLS[c][1]}. CHEAP_TALK only." for c in channels)
    return f"""\
An action is one of these JSON objects; values in angle brackets are for you to fill in.
{messages}
- `{SCHEDULE}`: writes the meeting in hand into a slot. DECISION only, once.
- `{RESCHEDULE}`: moves an item of your calendar to a free slot. `item_id` is the number after # of an errand, or \
after M of a meeting. VOLUNTARY and DECISION only.
A message with a wrong field, or outside CHEAP_TALK, is not delivered. One wrong call in a batch rejects all of it."""


def response_format(other: int, channel: str) -> str:
    """The envelope of every answer, with a message in that channel as an example."""
    address: dict[str, Any] = {"type": channel, "to": other} if channel == "dm" else {"type": channel}
    message = address | {"content": "Slots 2, 6 and 11 suit me. Which of them suit you?"}
    example = json.dumps({"thinking": "I'll offer my free slots first.", "actions": [message]})
    return (
        "Answer every message with one JSON object and nothing around it. It has two keys: `thinking`, text for "
        "yourself that no other agent ever sees, and `actions`, a list of tool calls. An empty list means that you do "
        f"nothing this time.\n\nExample:\n{example}"
    )


def environment(num_agents: int, num_slots: int, decision_retries: int) -> str:
    """The figures of the game."""
    return (
        f"- Agents: {num_agents}.\n"
        f"- Slots on each calendar: {num_slots}, numbered from 0 to {num_slots - 1}.\n"
        f"- A DECISION batch that breaks a rule is returned to you with the reason; you may hand in a new one "
        f"{decision_retries} time(s).\n"
        "- The game has several rounds, one meeting each. What you move and schedule stays on your calendar for the "
        "rounds after it, and a meeting that failed is not tried again."
    )


CLOSING = (
    "This is the last turn of the talking: ask no open questions any more. Confirm the slot in one message where that "
    'is still needed, and answer with `"actions": []` if everything is settled.'
)

FORMAT_REMINDER = 'Answer with one JSON object: {"thinking": "...", "actions": [...]}.'

CHANNEL_NOTES = {"dm": "", "participant_groupchat": ", to the participants", "all_groupchat": ", to all agents"}


# A meeting as one agent is told of it: `id`, `participants`, `duration` and, for participants, `private_label`.
Meeting = Mapping[str, Any]
# A message in an inbox: `from`, `meeting_id`, `channel` and `content`.
Message = Mapping[str, Any]


def build_round_start_message(
    meeting: Meeting,
    calendar_render: str,
    round_num: int,
    incurred_penalty: int,
    turn_index: int,
    max_turns_per_round: int,
    communication_protocol: str,
) -> str:
    """The first message of a round: the meeting, the agent's calendar, what it has paid, and the phase."""
    return f"""\
=== ROUND {round_num} START ===

Meeting to schedule:
{describe(meeting)}

Your calendar:
{calendar_render}

Penalty you have incurred in earlier rounds: {incurred_penalty}

Phase: CHEAP_TALK
{budget(turn_index, max_turns_per_round)}
DECISION comes after the talking. Use it to agree on one slot that makes all of you move as little as possible.
{closing(turn_index, max_turns_per_round)}{FORMAT_REMINDER}"""


def build_turn_message(
    messages: Sequence[Message], turn_index: int, max_turns_per_round: int, communication_protocol: str
) -> str:
    """The message of a later turn: what has arrived since the last one."""
    return f"""\
Phase: CHEAP_TALK
{budget(turn_index, max_turns_per_round)}

{list_inbox(messages)}

{closing(turn_index, max_turns_per_round)}{FORMAT_REMINDER}"""


def build_voluntary_reschedule_message(meeting: Meeting, calendar_render: str) -> str:
    """The message to an agent that does not take part, but was written to."""
    return f"""\
Phase: VOLUNTARY
The talking is over. You don't take part in this meeting, but you were written to about it:
{describe(meeting)}

Your calendar:
{calendar_render}

If you have promised to move something, do it now with reschedule calls; otherwise answer with `"actions": []`. You \
may not use schedule.
{FORMAT_REMINDER}"""


def build_decision_message(meeting: Meeting, calendar_render: str) -> str:
    """The message that asks a participant for its batch; the calendar is as it stands when DECISION begins."""
    return f"""\
Phase: DECISION
The talking is over. Hand in your batch for this meeting:
{describe(meeting)}

Your calendar as it stands now:
{calendar_render}

The batch needs one schedule call for this meeting, and a reschedule call for whatever has to leave that slot. It \
takes effect as a whole or not at all. Take the slot that was agreed in CHEAP_TALK: another one makes the round fail.
{FORMAT_REMINDER}"""


def build_retry_message(attempt: int, max_attempts: int, conflict: str) -> str:
    """The message after a rejected batch; `attempt` is the one that failed, from 1, `conflict` the broken rule."""
    return f"""\
Phase: DECISION, attempt {attempt + 1} of {max_attempts}
Your batch was rejected: {conflict}
Nothing of it was carried out, and your calendar is unchanged. Hand in the whole batch anew, complete in itself.
{FORMAT_REMINDER}"""


def build_problem_note(problems: Sequence[str]) -> str:
    """What became of an agent's answer before: each reason why something of it had no effect. No part of the paper's
    prompts."""
    return "\n".join(["Something of what you answered before had no effect:", *(f"- {p}" for p in problems)])


def describe(meeting: Meeting) -> str:
    """The meeting's lines; the private label among them for a participant."""
    lines = [
        f"Meeting ID: {meeting['id']}",
        f"Participants: {meeting['participants']}",
        f"Duration: {meeting['duration']} slot(s)",
    ]
    if "private_label" in meeting:
        lines.append(f"Private meeting label: {meeting['private_label']}")
    return "\n".join(lines)


def list_inbox(messages: Sequence[Message]) -> str:
    """The messages that have arrived, numbered from 1; lines after a message's first are indented, so that no message
    can pass for another."""
    if not messages:
        return "No new messages in your inbox."
    lines = [
        f"[{i}] From Agent {m['from']} (meeting {m['meeting_id']}{CHANNEL_NOTES[m['channel']]}): "
        + "\n    ".join(m["content"].splitlines())
        for i, m in enumerate(messages, start=1)
    ]
    return "\n".join(["New messages in your inbox:", *lines])


def budget(turn_index: int, max_turns: int) -> str:
    """The line that counts the turns."""
    left = max_turns - turn_index - 1
    return f"CHEAP_TALK turn budget: turn {turn_index + 1} of {max_turns}. {left} turn(s) remain after this one."


def closing(turn_index: int, max_turns: int) -> str:
    """The line of what the last turn asks for; none before."""
    return f"{CLOSING}\n" if turn_index + 1 == max_turns else ""
