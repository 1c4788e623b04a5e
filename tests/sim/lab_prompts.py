"""Prompts as a lab may bring them, in the words that the stub reads. Each ends in what its builder was called with."""

import json

NAMES = {"dm": "direct", "participant_groupchat": "to participants", "all_groupchat": "to all"}


def told(lines, **called):
    return "\n".join([*lines, f"Called with: {json.dumps(called)}"])


def meeting_lines(meeting):
    label = [f"Private meeting label: {meeting['private_label']}"] if "private_label" in meeting else []
    return [f"Meeting ID: {meeting['id']}", f"Participants: {meeting['participants']}", *label]


def turn_lines(turn_index, max_turns_per_round):
    return ["Phase: CHEAP_TALK", f"There are {max_turns_per_round - turn_index - 1} turn(s) remaining."]


def build_system_prompt(game_config):
    channels = game_config.get("communication_protocol", "dm")
    return told([f"You are Agent {game_config['agent_id']}.", f"You may write by {channels}."], **game_config)


def build_round_start_message(
    meeting, calendar_render, round_num, incurred_penalty=0, turn_index=None, max_turns_per_round=None,
    communication_protocol="dm",
):  # fmt: skip
    lines = [f"=== ROUND {round_num} ===", *meeting_lines(meeting), calendar_render]
    called = {"meeting": meeting, "round": round_num, "penalty": incurred_penalty, "turn": turn_index}
    return told(lines + turn_lines(turn_index, max_turns_per_round), **called, protocol=communication_protocol)


def build_turn_message(messages, turn_index=None, max_turns_per_round=None, communication_protocol="dm"):
    lines = [
        f"[{i}] From Agent {m['from']} (meeting {m['meeting_id']}, {NAMES[m['channel']]}): {m['content']}"
        for i, m in enumerate(messages, start=1)
    ]
    lines += turn_lines(turn_index, max_turns_per_round)
    return told(lines, messages=messages, turn=turn_index, protocol=communication_protocol)


def build_decision_message(meeting, calendar_render):
    return told(["Phase: DECISION", *meeting_lines(meeting), calendar_render], meeting=meeting)


def build_voluntary_reschedule_message(meeting, calendar_render):
    lines = ["Phase: VOLUNTARY", f"Meeting ID: {meeting['id']}", f"Participants: {meeting['participants']}"]
    return told([*lines, calendar_render], meeting=meeting)


def build_retry_message(attempt, max_attempts, conflict):
    return told(["Phase: DECISION", conflict], attempt=attempt, max_attempts=max_attempts)
