"""What agents knew, answered and meant: labels, parameters, decisions, calls of models, intents of speakers."""

from collections.abc import Callable

import msgspec
from msgspec.structs import asdict

from pipeline.tables.schemas.base import CALLS
from pipeline.tables.schemas.intended import (
    AGENT_PARAMETERS,
    DECISIONS,
    INTENDED_LABELS,
    INTENDED_STATEMENTS,
    INTENTS,
    THOUGHTS,
)
from pipeline.tables.schemas.table import Row
from pipeline.traces.calendars import labels_known
from pipeline.traces.game_state import GameState, SentMessage
from pipeline.traces.records import DecideEnd, Intent
from pipeline.traces.trace import Trace

ParameterRow, DecisionRow = AGENT_PARAMETERS.row_type(), DECISIONS.row_type()
ThoughtRow, CallRow = THOUGHTS.row_type(), CALLS.row_type()
IntentRow, StatementRow, LabelRow = (table.row_type() for table in (INTENTS, INTENDED_STATEMENTS, INTENDED_LABELS))


def _labels(trace: Trace, game: GameState) -> list[Row]:
    return labels_known(trace.game_id, game.labels_seen, trace.config)


def _decisions(trace: Trace, game: GameState) -> list[Row]:
    return [_decision(trace.game_id, index, answer) for index, answer in game.decisions]


def _thoughts(trace: Trace, game: GameState) -> list[Row]:
    return [ThoughtRow(game_id=trace.game_id, **thought._asdict()) for thought in game.thoughts]


def _calls(trace: Trace, game: GameState) -> list[Row]:
    return [CallRow(game_id=trace.game_id, **call._asdict()) for call in game.calls]


def _meant(game: GameState) -> list[tuple[SentMessage, Intent]]:
    """The messages of simulated speakers with what was meant by them."""
    return [(sent, sent.intent) for sent in game.messages if sent.intent]


def _intents(trace: Trace, game: GameState) -> list[Row]:
    return [
        IntentRow(
            game_id=trace.game_id,
            event_index=sent.event_index,
            round=sent.message.round,
            agent=sent.message.from_agent,
            **{name: getattr(intent, name) for name in ("act", "behaviours", "phrases", "held_out")},
        )
        for sent, intent in _meant(game)
    ]


def _statements(trace: Trace, game: GameState) -> list[Row]:
    return [
        StatementRow(game_id=trace.game_id, event_index=sent.event_index, statement_index=index, **asdict(statement))
        for sent, intent in _meant(game)
        for index, statement in enumerate(intent.statements)
    ]


def _intended_labels(trace: Trace, game: GameState) -> list[Row]:
    return [
        LabelRow(
            game_id=trace.game_id,
            event_index=sent.event_index,
            label_index=index,
            kind=label.kind,
            item_id=label.id,
            label=label.label,
        )
        for sent, intent in _meant(game)
        for index, label in enumerate(intent.labels)
    ]


def _parameters(trace: Trace, game: GameState) -> list[Row]:
    """Rows of agent_parameters: the parameters that are numbers."""
    rows = []
    for agent, spec in enumerate(trace.config.agents):
        parameters = spec.parameters if isinstance(spec.parameters, dict) else {}
        numbers = {n: v for n, v in parameters.items() if isinstance(v, (int, float)) and not isinstance(v, bool)}
        rows += [
            ParameterRow(game_id=trace.game_id, agent=agent, parameter=name, value=float(value))
            for name, value in sorted(numbers.items())
        ]
    return rows


def _decision(game_id: str, event_index: int, answer: DecideEnd) -> Row:
    actions = len(answer.tool_calls) if isinstance(answer.tool_calls, list) else 0
    return DecisionRow(
        game_id=game_id,
        event_index=event_index,
        round=answer.round,
        phase=answer.phase,
        agent=answer.agent_id,
        attempt=answer.attempt,
        actions=actions,
        cut_off=not actions and cut_off(answer.text),
    )


def cut_off(text: str | None) -> bool:
    """Whether a model's answer is cut off: it has text, but no complete JSON object."""
    if not text or not text.strip():
        return False
    start, end = text.find("{"), text.rfind("}")
    try:
        return not (0 <= start < end and isinstance(msgspec.json.decode(text[start : end + 1]), dict))
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return True


# Table → its rows of one trace.
MAKERS: dict[str, Callable[[Trace, GameState], list[Row]]] = {
    "labels_known": _labels,
    "agent_parameters": _parameters,
    "decisions": _decisions,
    "thoughts": _thoughts,
    "calls": _calls,
    "intents": _intents,
    "intended_statements": _statements,
    "intended_labels": _intended_labels,
}
