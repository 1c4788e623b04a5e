"""What agents knew, answered and meant: labels, parameters, decisions, and the intents of simulated speakers."""

from typing import Any

import msgspec

from pipeline.reading.records import DecideEnd
from pipeline.reading.state import Walk
from pipeline.reading.traces import Trace
from pipeline.speech.labels_seen import labels_known

Row = tuple[Any, ...]
Rows = dict[str, list[Row]]


def intended_rows(trace: Trace, walk: Walk) -> Rows:
    """The rows of one trace for the tables of schemas_intended."""
    game, meant = trace.game_id, [(sent, sent.intent) for sent in walk.sent if sent.intent]
    return {
        "labels_known": [(game, *row) for row in labels_known(walk.labels, trace.config)],
        "agent_parameters": _parameters(trace),
        "decisions": [_decision(game, index, answer) for index, answer in walk.decided],
        "thoughts": [(game, *thought) for thought in walk.thoughts],
        "intents": [
            (game, s.event_index, s.message.round, s.message.from_agent, i.act, i.behaviours, i.held_out)
            for s, i in meant
        ],
        "intended_statements": [
            (game, s.event_index, k, told.target, told.slot, told.free, told.kind)
            for s, i in meant
            for k, told in enumerate(i.statements)
        ],
        "intended_labels": [
            (game, s.event_index, k, told.kind, told.id, told.label)
            for s, i in meant
            for k, told in enumerate(i.labels)
        ],
    }


def _parameters(trace: Trace) -> list[Row]:
    """The agents' parameters that are numbers."""
    rows = []
    for agent, spec in enumerate(trace.config.agents):
        given = spec.parameters if isinstance(spec.parameters, dict) else {}
        numbers = {n: v for n, v in given.items() if isinstance(v, int | float) and not isinstance(v, bool)}
        rows += [(trace.game_id, agent, name, float(value)) for name, value in sorted(numbers.items())]
    return rows


def _decision(game_id: str, event_index: int, answer: DecideEnd) -> Row:
    actions = len(answer.tool_calls) if isinstance(answer.tool_calls, list) else 0
    cut = not actions and cut_off(answer.text)
    return game_id, event_index, answer.round, answer.phase, answer.agent_id, answer.attempt, actions, cut


def cut_off(text: str | None) -> bool:
    """Whether a model's answer is no whole JSON object: something was written, and it does not close."""
    if not text or not text.strip():
        return False
    start, end = text.find("{"), text.rfind("}")
    try:
        return not (0 <= start < end and isinstance(msgspec.json.decode(text[start : end + 1]), dict))
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return True
