"""What observers of one round saw together."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

Body = Mapping[str, Any]


class Seen(NamedTuple):
    """A message that an observer sent or got: its turn, who sent it to whom, its kind and its JSON object."""

    turn: int
    sender: int
    recipients: tuple[int, ...]
    kind: str | None
    body: Body


class View(NamedTuple):
    """What the observers (ascending) of one round saw, and what everybody knows.

    protocol: the agents' type; parameters: its own, public. participants: ascending, the first one leads. messages:
    those that an observer sent or got, in order. last_turn: the last turn in which anybody said anything, −1 in none:
    who takes part is asked for its turn until nobody says anything. max_turns: when talk ends at the latest.
    """

    protocol: str
    parameters: Mapping[str, Any]
    round: int
    participants: tuple[int, ...]
    observers: tuple[int, ...]
    messages: tuple[Seen, ...]
    slots: int
    last_turn: int
    max_turns: int

    @property
    def initiator(self) -> int:
        """The participant who leads."""
        return self.participants[0]

    @property
    def takes_part(self) -> bool:
        """Whether an observer is a participant."""
        return any(agent in self.participants for agent in self.observers)

    @property
    def leads(self) -> bool:
        """Whether the initiator is among the observers."""
        return self.initiator in self.observers

    def hidden(self) -> list[int]:
        """The participants that are no observers."""
        return [agent for agent in self.participants if agent not in self.observers]

    def of_kind(self, *kinds: str) -> Iterator[Seen]:
        """The messages of these kinds, in order."""
        return (message for message in self.messages if message.kind in kinds)

    def chosen(self) -> int | None:
        """The slot of the decision; None where none was seen."""
        return next((m.body["slot"] for m in self.of_kind("decision", "value")), None)

    def role_of(self, agent: int) -> str:
        """initiator, responder or outsider."""
        return "initiator" if agent == self.initiator else "responder" if agent in self.participants else "outsider"
