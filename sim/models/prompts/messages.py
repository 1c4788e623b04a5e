"""The messages that drive a round, one builder each (paper, Appendix D.3 and Table 6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

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
    return "\n".join(
        [
            f"=== ROUND {round_num} START ===",
            "",
            "Meeting to schedule:",
            describe(meeting),
            "",
            "Your calendar:",
            calendar_render,
            "",
            f"Penalty you have incurred in earlier rounds: {incurred_penalty}",
            "",
            "Phase: CHEAP_TALK",
            budget(turn_index, max_turns_per_round),
            "DECISION comes after the talking. Use it to agree on one slot that makes all of you move as little as "
            "possible.",
            *closing(turn_index, max_turns_per_round),
            FORMAT_REMINDER,
        ]
    )


def build_turn_message(
    messages: Sequence[Message], turn_index: int, max_turns_per_round: int, communication_protocol: str
) -> str:
    """The message of a later turn: what has arrived since the last one."""
    return "\n".join(
        [
            "Phase: CHEAP_TALK",
            budget(turn_index, max_turns_per_round),
            "",
            list_inbox(messages),
            "",
            *closing(turn_index, max_turns_per_round),
            FORMAT_REMINDER,
        ]
    )


def build_voluntary_reschedule_message(meeting: Meeting, calendar_render: str) -> str:
    """The message to an agent that does not take part, but was written to."""
    return "\n".join(
        [
            "Phase: VOLUNTARY",
            "The talking is over. You don't take part in this meeting, but you were written to about it:",
            describe(meeting),
            "",
            "Your calendar:",
            calendar_render,
            "",
            "If you have promised to move something, do it now with reschedule calls; otherwise answer with "
            '`"actions": []`. You may not use schedule.',
            FORMAT_REMINDER,
        ]
    )


def build_decision_message(meeting: Meeting, calendar_render: str) -> str:
    """The message that asks a participant for its batch; the calendar is as it stands when DECISION begins."""
    return "\n".join(
        [
            "Phase: DECISION",
            "The talking is over. Hand in your batch for this meeting:",
            describe(meeting),
            "",
            "Your calendar as it stands now:",
            calendar_render,
            "",
            "The batch needs one schedule call for this meeting, and a reschedule call for whatever has to leave that "
            "slot. It takes effect as a whole or not at all. Take the slot that was agreed in CHEAP_TALK: another one "
            "makes the round fail.",
            FORMAT_REMINDER,
        ]
    )


def build_retry_message(attempt: int, max_attempts: int, conflict: str) -> str:
    """The message after a rejected batch; `attempt` is the one that failed, from 1, `conflict` the broken rule."""
    return "\n".join(
        [
            f"Phase: DECISION, attempt {attempt + 1} of {max_attempts}",
            f"Your batch was rejected: {conflict}",
            "Nothing of it was carried out, and your calendar is unchanged. Hand in the whole batch anew, complete in "
            "itself.",
            FORMAT_REMINDER,
        ]
    )


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


def closing(turn_index: int, max_turns: int) -> list[str]:
    """What the last turn asks for."""
    return [CLOSING] if turn_index + 1 == max_turns else []
