"""The contract between the game and whoever plays: what an agent is told, and what it may answer.

One algorithm, one file. An agent sees its own calendar, the meeting, its messages, and nothing else of the game.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from msgspec import Struct

from sim.calendar import Calendar
from sim.tasks.scenario import Meeting

CHEAP_TALK, VOLUNTARY, DECISION = "CHEAP_TALK", "VOLUNTARY", "DECISION"

Action = dict[str, Any]


class Message(Struct, frozen=True):
    """A message in an inbox. `channel` is dm, participant_groupchat or all_groupchat."""

    sender: int
    recipient: int
    channel: str
    meeting_id: int
    content: str


class Registration(Struct, frozen=True):
    """What an agent is told before the game (Appendix D.2). `game_seed` is the task's, for named streams of its own."""

    agent: int
    num_agents: int
    num_slots: int
    decision_retries: int
    channels: tuple[str, ...]
    calendar: Calendar
    game_seed: str = ""


class Request(Struct, frozen=True, kw_only=True):
    """One turn of one agent (Appendix D.3).

    `turn` is the sweep of cheap talk, from 0, of at most `max_turns`. `attempt` counts DECISION's retries from 0, of
    at most `max_attempts`, and `conflict` says why the batch before was rejected. `penalty` is what the agent paid in
    earlier rounds; `undelivered` says why messages of the agent's turn before were not sent. Where the game has private
    labels, `labels` maps the agent's slots to those of its items, `meeting_label` is the meeting's for its
    participants, and `render` shows both the calendar and the labels.
    """

    phase: str
    round: int
    turn: int
    max_turns: int
    meeting: Meeting
    calendar: Calendar
    penalty: int
    inbox: tuple[Message, ...] = ()
    attempt: int = 0
    max_attempts: int = 1
    conflict: str | None = None
    undelivered: tuple[str, ...] = ()
    render: str = ""
    labels: Mapping[int, str] = {}
    meeting_label: str | None = None


class Reply(Struct, frozen=True):
    """What an agent answers: tool calls, unchecked, and how they came about.

    `prompt` is the text that was sent for it, word for word. `usage`, `latency_ms` and the times belong to agents with
    a provider. `parse` says how the text was read: strict, "repaired: …" or "refused: …". `intent` is what a simulated
    speaker meant by its messages, kept outside their text as known truth.
    """

    actions: Any = ()
    thinking: str | None = None
    text: str | None = None
    prompt: str = ""
    usage: Mapping[str, Any] | None = None
    latency_ms: float | None = None
    started_at: str | None = None
    ended_at: str | None = None
    parse: str | None = None
    intent: Any = None


# Why a game is stopped: its provider fails, refuses for lack of quota or key, finds the conversation too long, lets a
# deadline pass, or the run may spend no more.
PROVIDER, QUOTA, KEY, CONTEXT, DEADLINE, BUDGET = "provider", "quota", "key", "context", "deadline", "budget"


class AgentFailure(Exception):
    """An agent that can't answer: the game stops, and this is its cause, of one of the categories above."""

    def __init__(self, cause: str, category: str = PROVIDER) -> None:
        super().__init__(cause)
        self.category = category


class Agent(Protocol):
    """A player that answers at once. One object plays one agent in one game."""

    def register(self, registration: Registration) -> str:
        """Begin a game; the system prompt that the agent runs under, empty where it has none."""

    def act(self, request: Request) -> Reply:
        """Answer one request."""

    def summary(self) -> Mapping[str, Any]:
        """What the agent kept of the game that the trace should record; empty for most."""


class WaitingAgent(Protocol):
    """A player that waits for a provider."""

    def register(self, registration: Registration) -> str:
        """Begin a game; the system prompt that the agent runs under."""

    async def answer(self, request: Request) -> Reply:
        """Answer one request. Raises AgentFailure where the provider gives no answer."""

    def summary(self) -> Mapping[str, Any]:
        """What the agent kept of the game that the trace should record."""
