"""What agents reasoned in private: the `thinking` of their turns and answers."""

from typing import NamedTuple

from pipeline.reading import limits
from pipeline.reading.records import DecideEnd, TurnEnd

CHEAP_TALK = "CHEAP_TALK"


class Thought(NamedTuple):
    """One reasoning of an agent, before it spoke or answered."""

    event_index: int
    round: int
    phase: str | None
    agent: int
    text: str


def thought(event_index: int, data: TurnEnd | DecideEnd, number: int, phase: str | None) -> list[Thought]:
    """The reasoning of a turn or an answer, if there is any: public traces may have anything in its place."""
    if data.agent_id is None or not isinstance(data.thinking, str) or not data.thinking.strip():
        return []
    return [Thought(event_index, number, phase, data.agent_id, data.thinking[: limits.MESSAGE_CHARS])]
