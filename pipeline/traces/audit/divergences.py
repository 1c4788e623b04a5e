"""The auditor's codes with their meanings and severities, and the divergences of a trace."""

import json
from collections import Counter
from dataclasses import dataclass
from math import isclose
from typing import Any

ERROR, KNOWN, NOTE = "error", "known", "note"

MOST_PER_CODE = 200
LONGEST = 300


@dataclass(frozen=True)
class Code:
    """One kind of divergence: what it means, and its severity in our traces and in those of the public harness."""

    name: str
    meaning: str
    ours: str = ERROR
    public: str = ERROR


C = Code
CODES = {
    code.name: code
    for code in (
        # The record as a whole
        C("unreadable", "The trace cannot be replayed; found says why, detail says where."),
        C("unknown_event", "An event of a kind that the auditor does not know.", public=NOTE),
        C("unknown_field", "An event has a field that no event of its kind has."),
        C("missing_event", "The replay gives an event that the trace does not have here."),
        C("unexpected_event", "The trace has an event that the replay does not give here."),
        C("broken_off", "The trace ends without its end, and does not say that the game was stopped.", public=KNOWN),
        C("stop_claim", "The trace says that the game was stopped, or was not, and its events say otherwise."),
        C("wrong_setup", "The game's announced shape, limits or identity is not that of its agents and rounds."),
        C("wrong_game_id", "The game's id is not that of its task, team, configuration and repeat."),
        C("wrong_digest", "The record is not the one that its digest was made of: somebody has changed it."),
        C("no_digest", "The record has no digest, as those of earlier versions have none.", NOTE, NOTE),
        C("wrong_usage", "An answer is another model's, or one of who has none, or has usage of an unknown kind."),
        C("wrong_labels", "The scenario's labels are not those that its seed draws from the bank."),
        C("wrong_task", "The game is not of the task that it names: a task list has other calendars, costs or names."),
        C("unknown_task", "No task list has the calendars of the task, so the game was held against none.", NOTE, NOTE),
        C("other_rules", "A game of a task of the paper's has other turns, retries, cap or channels.", NOTE, NOTE),
        C("other_difficulty", "The game's difficulty is not that of the list that has its calendars.", NOTE, NOTE),
        C("wrong_times", "The game did not start and end with its first and last event."),
        C("meeting_differs", "A round schedules another meeting, or in another order, than the scenario has."),
        # What agents saw
        C("wrong_calendar", "A calendar is shown otherwise than the replay has it."),
        C("wrong_label", "A calendar shows a private label that is not the item's."),
        C("inbox_differs", "The inbox that an agent drained is not what was delivered to it, in that order."),
        C("prompt_lacks_calendar", "A prompt that shows the calendar does not contain the replay's."),
        C("prompt_lacks_inbox", "A prompt does not contain a message that its agent drained."),
        C("prompt_lacks_conflict", "The prompt of a retry does not say why the batch before was rejected."),
        C("prompt_leaks_label", "A prompt shows a private label that its agent may not see."),
        # What was said
        C("message_differs", "A message's event is not what its tool call says."),
        C("wrong_recipients", "A message went to others than its tool call and channel say."),
        C("delivered_invalid", "A call that is no valid message was delivered.", public=KNOWN),
        C("refused_valid", "A valid message was refused."),
        C("refusal_differs", "The event of a refused call is not of that call."),
        C("dm_cap", "More messages were delivered than the game's cap allows.", public=KNOWN),
        # What was done (Appendix D.5)
        C("malformed_batch", "An applied batch is no list of schedule and reschedule calls."),
        C("slot_out_of_bounds", "An applied batch names a slot that the calendar does not have (rule 1)."),
        C("unknown_item", "An applied batch names an item that is not in the slot (rule 2)."),
        C("cloned_item", "An applied batch moves one item by two actions at once.", public=KNOWN),
        C("blocked_move", "An applied batch moves a blocked item (rule 3)."),
        C("target_conflict", "An applied batch moves two items into one slot (rule 4)."),
        C("target_not_free", "An applied batch moves an item into a slot that is not free (rule 5)."),
        C("schedule_count", "An applied batch has not the number of schedule calls that its phase asks for (rule 6)."),
        C("wrong_meeting", "An applied batch schedules another meeting than the round's."),
        C("schedule_not_free", "An applied batch schedules the meeting into a slot that is not free (rule 7)."),
        C("false_rejection", "A batch was rejected that breaks no rule."),
        C("wrong_conflict", "A rejection names a conflict that the batch does not have."),
        C("batch_differs", "A batch was recorded with other actions than its agent submitted."),
        C("wrong_attempt", "An attempt is numbered out of turn, or there are more than the retries allow."),
        C(
            "not_all_or_none",
            "Staged batches were applied although one of the round failed, or none although all passed.",
        ),
        C("wrong_cost", "A batch's recorded cost is not that of the items it moves."),
        C("silent_failure", "An answer without text and usage of an agent that has both elsewhere.", public=KNOWN),
        # What was claimed
        C("wrong_slots", "A resolution's slots are not where the participants' calendars hold the meeting."),
        C("false_coordination", "A meeting is called coordinated, and the calendars deny it."),
        C("denied_coordination", "A meeting is called failed, and the calendars show it coordinated."),
        C("wrong_violations", "The earlier meetings called violated are not those that the calendars show broken."),
        C("slot_conflicts", "The conflicting slots are not where the participants disagree."),
        C("wrong_blocked", "The violations of blocked slots are not those that the calendars show."),
        C("meeting_broken", "A meeting counts as scheduled although it was broken later.", public=KNOWN),
        C("wrong_metric", "A metric is not what the replay adds up to."),
        C("missing_metric", "A metric that every trace of ours has is missing."),
        C("unchecked_metric", "Metrics that the auditor does not recompute.", NOTE, NOTE),
        C("end_differs", "game_end states another metric than the trace's metrics, or other shares of the optimum."),
        C("wrong_final_state", "The final state is not what the replay ends in."),
        C("wrong_optimum", "A stated optimal cost, slot or share is not that of the calendars' least cost."),
        C("odd_optimum", "The oracle's schedule is not the one that the rule names among the cheapest.", NOTE, NOTE),
        C("unchecked_optimum", "The optimum could not be computed.", NOTE, NOTE),
        C("unproven_optimum", "The task's maker has not proven its optimum: the game's excess is unknown.", NOTE, NOTE),
        C("wrong_greedy", "A stated greedy cost, slot or share is not that of the greedy rule."),
        C("wrong_witness", "The witness's stated cost or shares are not those of its slots."),
        C(
            "oracle_burden",
            "The agents' oracle burdens are not those of its slots, or do not add up to the optimum.",
            public=KNOWN,
        ),
        C("oracle_replay", "The oracle's schedule costs more in the trace's replay than the optimum.", public=KNOWN),
    )
}


@dataclass(frozen=True)
class Divergence:
    """One place where a trace does not add up: what the replay expects and what the trace has.

    `severity` is error, known (a documented fault of the public harness) or note. `event_index`, `round` and `agent`
    are None where the finding concerns the whole game.
    """

    game_id: str
    trace_path: str
    code: str
    severity: str
    round: int | None
    event_index: int | None
    agent: int | None
    expected: str
    found: str
    detail: str


class Findings:
    """Collects the divergences of one trace."""

    def __init__(self, path: str, public: bool = False, game_id: str = "") -> None:
        self.path, self.public, self.game_id = path, public, game_id
        self.divergences: list[Divergence] = []
        self.counts: Counter[str] = Counter()

    def add(
        self,
        code: str,
        expected: Any = "",
        found: Any = "",
        detail: str = "",
        *,
        event: int | None = None,
        round: Any = None,
        agent: Any = None,
    ) -> None:
        """Record a divergence; beyond MOST_PER_CODE of one kind only the number grows."""
        self.counts[code] += 1
        if self.counts[code] > MOST_PER_CODE:
            return
        severity = CODES[code].public if self.public else CODES[code].ours
        where = (whole(round), event, whole(agent))
        self.divergences.append(
            Divergence(self.game_id, self.path, code, severity, *where, short(expected), short(found), detail[:LONGEST])
        )


def whole(value: Any) -> int | None:
    """The value where it is a whole number that a table can hold."""
    return value if type(value) is int and abs(value) < 2**63 else None


def short(value: Any) -> str:
    """A value as the table shows it: text as it is, the rest as JSON, both cut."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=repr)
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def same_figure(value: Any, fact: Any) -> bool:
    """Whether two figures are the same, to the last digits of a float."""
    numbers = (int, float)
    if type(value) in numbers and type(fact) in numbers:
        return isclose(value, fact, rel_tol=1e-12, abs_tol=1e-12)
    return type(value) is type(fact) and bool(value == fact)
