"""The little that is read of games whose costs, slots and turns alone count: no tables are derived from them."""

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

import msgspec
from msgspec import Raw, Struct

from pipeline.traces.sources import find_sources, read_texts


class Meeting(Struct):
    """A meeting of the scenario."""

    id: int
    participants: list[int]


class Scenario(Struct):
    """The scenario."""

    meetings: list[Meeting]


class Config(Struct):
    """Who played what."""

    team: str
    task_id: str
    setting: str
    num_agents: int
    scenario: Scenario


class Event(Struct):
    """An event, what happened undecoded."""

    type: str
    data: Raw


class Resolution(Struct):
    """What became of a round's meeting: where each participant holds it."""

    meeting_id: int
    coordinated: bool
    per_agent_slot: dict[str, int | None]


class Sent(Struct):
    """The sweep, from 0, in which a message was sent."""

    turn: int


class State(Struct):
    """What each agent has paid at the end."""

    per_agent_cost: list[int]


class Game(Struct, dict=True):
    """A trace, the part that is read."""

    config: Config
    events: list[Event]
    final_state: State

    @cached_property
    def resolutions(self) -> list[Resolution]:
        """What became of each meeting, round by round."""
        return [msgspec.json.decode(e.data, type=Resolution) for e in self.events if e.type == "resolution"]

    @property
    def last_turn(self) -> int | None:
        """The last sweep of any round in which a message was sent; None where none was."""
        sent = (e for e in self.events if e.type == "dm_sent")
        return max((msgspec.json.decode(e.data, type=Sent).turn for e in sent), default=None)


def games_in(traces: Path) -> Iterator[Game]:
    """The games of a folder or pack, in the order of its files. Raises TraceError for a file that holds no trace."""
    decoder = msgspec.json.Decoder(Game)
    for source in find_sources([traces]):
        for _, text in read_texts(source):
            if isinstance(text, Exception):
                raise text
            yield decoder.decode(text)
