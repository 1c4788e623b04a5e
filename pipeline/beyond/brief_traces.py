"""The little that is read of games whose costs, slots and turns alone count: no tables are derived from them."""

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Raw, Struct

from pipeline.traces.sources import find_sources, read_texts


class Event(Struct):
    """An event, what happened undecoded."""

    type: str
    data: Raw


class Resolution(Struct):
    """What became of a round's meeting: where each participant holds it."""

    meeting_id: int
    coordinated: bool
    per_agent_slot: dict[str, int | None]


class Game(Struct, dict=True):
    """A trace, the part that is read: who played what, its events, and what each agent has paid at the end."""

    config: dict[str, Any]
    events: list[Event]
    final_state: dict[str, Any]

    @property
    def participants(self) -> dict[int, list[int]]:
        """Meeting → its participants."""
        return {meeting["id"]: meeting["participants"] for meeting in self.config["scenario"]["meetings"]}

    @property
    def costs(self) -> list[int]:
        """What each agent has paid at the end."""
        return list(self.final_state["per_agent_cost"])

    @cached_property
    def resolutions(self) -> list[Resolution]:
        """What became of each meeting, round by round."""
        return [msgspec.json.decode(e.data, type=Resolution) for e in self.events if e.type == "resolution"]

    @property
    def last_turn(self) -> int | None:
        """The last sweep, from 0, of any round in which a message was sent; None where none was."""
        sent = (msgspec.json.decode(e.data) for e in self.events if e.type == "dm_sent")
        return max((message["turn"] for message in sent), default=None)


def games_in(traces: Path) -> Iterator[Game]:
    """The games of a folder or pack, in the order of its files. Raises TraceError for a file that holds no trace."""
    decoder = msgspec.json.Decoder(Game)
    for source in find_sources([traces]):
        for _, text in read_texts(source):
            if isinstance(text, Exception):
                raise text
            yield decoder.decode(text)
