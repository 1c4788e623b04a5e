"""What agents knew, answered and meant: labels, parameters, decisions, and the intents of simulated speakers."""

import msgspec

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
from pipeline.traces.game_state import GameState
from pipeline.traces.records import DecideEnd
from pipeline.traces.trace import Trace

ParameterRow, DecisionRow, ThoughtRow = (table.row_type() for table in (AGENT_PARAMETERS, DECISIONS, THOUGHTS))
IntentRow, StatementRow, LabelRow = (table.row_type() for table in (INTENTS, INTENDED_STATEMENTS, INTENDED_LABELS))


def intended_rows(trace: Trace, game: GameState) -> dict[str, list[Row]]:
    """Table → rows of one trace, for each of INTENDED_TABLES."""
    game_id = trace.game_id
    return {
        "labels_known": labels_known(game_id, game.labels_seen, trace.config),
        "agent_parameters": _parameters(trace),
        "decisions": [_decision(game_id, index, answer) for index, answer in game.decisions],
        "thoughts": [ThoughtRow(game_id=game_id, **thought._asdict()) for thought in game.thoughts],
        **_intents(game_id, game),
    }


def _intents(game_id: str, game: GameState) -> dict[str, list[Row]]:
    """What simulated speakers meant by their messages: acts, statements about slots, labels."""
    intents = [(sent, sent.intent) for sent in game.messages if sent.intent]
    return {
        "intents": [
            IntentRow(
                game_id=game_id,
                event_index=sent.event_index,
                round=sent.message.round,
                agent=sent.message.from_agent,
                act=intent.act,
                behaviours=intent.behaviours,
                phrases=intent.phrases,
                held_out=intent.held_out,
            )
            for sent, intent in intents
        ],
        "intended_statements": [
            StatementRow(
                game_id=game_id,
                event_index=sent.event_index,
                statement_index=index,
                target=statement.target,
                slot=statement.slot,
                free=statement.free,
                kind=statement.kind,
            )
            for sent, intent in intents
            for index, statement in enumerate(intent.statements)
        ],
        "intended_labels": [
            LabelRow(
                game_id=game_id,
                event_index=sent.event_index,
                label_index=index,
                kind=label.kind,
                item_id=label.id,
                label=label.label,
            )
            for sent, intent in intents
            for index, label in enumerate(intent.labels)
        ],
    }


def _parameters(trace: Trace) -> list[Row]:
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
