"""An agent with a language model: one conversation for the whole game, one answer a request (Appendix D.2 to D.5)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Protocol

import msgspec
from msgspec import Struct

from sim.agents import CHEAP_TALK, VOLUNTARY, AgentFailure, Registration, Reply, Request
from sim.models.library import is_finished
from sim.models.parse import LONGEST, Parsed, parse, parse_calls
from sim.models.prompts.answer_format import format_arguments
from sim.models.prompts.builders import load_builders, protocol_of
from sim.models.prompts.messages import build_problem_note, list_inbox
from sim.models.spec import LlmParameters, variants_of

# What stands in the conversation for an answer without any text: providers refuse empty messages.
NO_ANSWER = "[no answer]"
# Why an answer ended that a provider's content filter held back, and one that broke off.
FILTERED = "content_filter"
CUT = ("length", "max_tokens")
HELD_BACK = "refused: the provider's content filter held the answer back"
# Longer answers are read apart from the loop that all games wait in.
QUICKLY_READ = 500


class Ask(Struct, frozen=True, kw_only=True):
    """Exactly what a model is asked: two equal asks are one question. `sample` is the game's repeat."""

    model: str
    messages: list[dict[str, str]]
    temperature: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    extra: dict[str, Any] = {}
    sample: int = 0


class Charge(Struct, frozen=True, kw_only=True):
    """What an attempt took that was charged for, or may have been. What the provider did not say is None."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_input_tokens: int | None = None
    cost_usd: float | None = None
    priced_by: str | None = None


class Usage(Struct, frozen=True, kw_only=True):
    """What an answer took, and who gave it. What the provider did not say is None.

    `model` was asked for; the provider says that `served_model` answered, in the state `system_fingerprint`.
    `cost_usd` is the answer's price in US dollars, None where no price is known, and `priced_by` where the price comes
    from. `reasoning_tokens` are among `output_tokens`; `reasoning` is their text where the provider shows it, and
    `refusal` what it says instead of an answer. `failed_attempts` says what went wrong with the attempts before the one
    that succeeded, and `charged_attempts` what those of them took that are charged for, or may be; None where nobody
    noted it. An answer that was paid for earlier is `from_cache`.
    """

    model: str
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_input_tokens: int | None = None
    cost_usd: float | None = None
    priced_by: str | None = None
    finish_reason: str | None = None
    response_id: str | None = None
    served_model: str | None = None
    system_fingerprint: str | None = None
    reasoning_tokens: int | None = None
    reasoning: str | None = None
    refusal: str | None = None
    failed_attempts: tuple[str, ...] = ()
    charged_attempts: tuple[Charge, ...] | None = None
    from_cache: bool = False

    @property
    def charge(self) -> Charge:
        """What the answer itself took."""
        return Charge(**{name: getattr(self, name) for name in Charge.__struct_fields__})


class Answer(Struct, frozen=True):
    """A model's text, what it took, the arguments of the tools that it calls, and how it ended in LiteLLM's words, or
    in the provider's where LiteLLM has none."""

    text: str
    usage: Usage
    calls: tuple[str, ...] = ()
    ended: str | None = None

    @property
    def whole(self) -> str:
        """The text and the calls beside it, as a trace and the conversation hold them."""
        return "\n".join([*filter(None, [self.text.strip()]), *self.calls]) if self.calls else self.text

    @property
    def end(self) -> str | None:
        """How it ended, in LiteLLM's words or, where those were not kept, in the provider's."""
        return self.ended or self.usage.finish_reason


def characters(ask: Ask) -> int:
    """How long the conversation is."""
    return sum(len(m["content"]) for m in ask.messages)


class AnswersAsks(Protocol):
    """Whoever answers for a model: a provider, or something that stands in for one."""

    async def answer(self, ask: Ask, parameters: LlmParameters) -> Answer:
        """The answer. Raises AgentFailure where there is none."""


class LlmAgent:
    """One agent of one game. `repeat` counts the games of a task, from 0."""

    def __init__(self, parameters: LlmParameters, provider: AnswersAsks, nosy: bool = False, repeat: int = 0) -> None:
        self.parameters = parameters
        self.builders = load_builders(parameters.prompts)
        self.provider = provider
        self.nosy = nosy
        self.repeat = repeat
        self.agent = -1
        self.channels: tuple[str, ...] = ()
        self.problem: str | None = None
        self.messages: list[dict[str, str]] = []
        self.opened_round = -1
        self.read_as: dict[str, int] = {}

    def register(self, registration: Registration) -> str:
        """Begin a game; the system prompt with its variants appended."""
        self.agent, self.channels = registration.agent, registration.channels
        base = self.builders.build_system_prompt(
            {
                "agent_id": registration.agent,
                "all_agent_ids": list(range(registration.num_agents)),
                "num_agents": registration.num_agents,
                "num_slots": registration.num_slots,
                "decision_retries": registration.decision_retries,
                "communication_protocol": protocol_of(registration.channels),
            }
        )
        gap = "\n" if self.parameters.prompts else "\n\n"
        prompt = gap.join([base, *(v.text for v in variants_of(self.parameters, self.nosy))])
        self.messages = [{"role": "system", "content": prompt}]
        return prompt

    async def answer(self, request: Request) -> Reply:
        """Answer one request. Raises AgentFailure, saying who and where, where the provider gives no answer."""
        prompt = self.noted(self.message_for(request), request)
        self.messages.append({"role": "user", "content": prompt})
        began, clock = now(), time.perf_counter()
        try:
            answer = await self.provider.answer(self.ask(), self.parameters)
        except AgentFailure as failure:
            where = f"agent {self.agent}, round {request.round}, {request.phase}"
            raise AgentFailure(f"{where}: {failure}", failure.category) from failure
        latency = (time.perf_counter() - clock) * 1000
        text = answer.whole
        parsed = await read_answer(answer)
        self.messages.append({"role": "assistant", "content": kept("" if parsed.how == HELD_BACK else text)})
        outcome, _, why = parsed.how.partition(":")
        self.problem = f"your answer could not be read:{why}" if outcome == "refused" else None
        self.read_as[outcome] = self.read_as.get(outcome, 0) + 1
        return Reply(
            actions=parsed.actions,
            thinking=parsed.thinking,
            text=text[:LONGEST],
            prompt=prompt,
            usage=msgspec.to_builtins(answer.usage),
            latency_ms=round(latency, 3),
            started_at=began,
            ended_at=now(),
            parse=parsed.how,
        )

    def summary(self) -> Mapping[str, Any]:
        """How many answers were read strictly, repaired and refused."""
        return {"answers": dict(sorted(self.read_as.items()))}

    def ask(self) -> Ask:
        """The conversation so far as a question to the model."""
        p = self.parameters
        return Ask(
            model=p.model,
            messages=list(self.messages),
            temperature=p.temperature,
            max_tokens=p.max_tokens,
            seed=None if p.seed is None else p.seed + self.repeat,
            extra={**format_arguments(p.answer_format, self.channels), **p.extra},
            sample=self.repeat,
        )

    def noted(self, message: str, request: Request) -> str:
        """The message, after what became of the answer before it where the team wants its agents to know."""
        problems = [self.problem] if self.problem else []
        problems += [f"a message was not sent: {problem}" for problem in request.undelivered]
        return f"{build_problem_note(problems)}\n\n{message}" if self.parameters.tell_problems and problems else message

    def message_for(self, request: Request) -> str:
        """The user message of the request (Table 6)."""
        meeting: dict[str, Any] = {
            "id": request.meeting.id,
            "participants": list(request.meeting.participants),
            "duration": request.meeting.duration,
        }
        if request.meeting_label is not None:
            meeting["private_label"] = request.meeting_label
        if request.phase == CHEAP_TALK:
            return self.talk(request, meeting)
        if request.phase == VOLUNTARY:
            return self.builders.build_voluntary_reschedule_message(meeting, request.render)
        if request.conflict is not None:
            return self.builders.build_retry_message(request.attempt, request.max_attempts, request.conflict)
        return self.builders.build_decision_message(meeting, request.render)

    def talk(self, request: Request, meeting: dict[str, Any]) -> str:
        """A turn's message. The round's first is about the meeting, and what has arrived before it follows: in our
        prompts the messages alone, in those of a file its turn message."""
        turn = {
            "turn_index": request.turn,
            "max_turns_per_round": request.max_turns,
            "communication_protocol": protocol_of(self.channels),
        }
        inbox = [
            {"from": m.sender, "meeting_id": m.meeting_id, "content": m.content, "channel": m.channel}
            for m in request.inbox
        ]
        if self.opened_round == request.round:
            return self.builders.build_turn_message(inbox, **turn)
        self.opened_round = request.round
        start = self.builders.build_round_start_message(
            meeting, request.render, round_num=request.round, incurred_penalty=request.penalty, **turn
        )
        if not inbox:
            return start
        arrived = self.builders.build_turn_message(inbox, **turn) if self.parameters.prompts else list_inbox(inbox)
        return f"{start}\n\n{arrived}"


async def read_answer(answer: Answer) -> Parsed:
    """What the answer says; a long one is read while other games go on."""
    if answer.end == FILTERED:
        return Parsed([], None, HELD_BACK)
    cut = True if answer.end in CUT else False if is_finished(answer.end) else None
    reading = (parse_calls, answer.calls, answer.text, cut) if answer.calls else (parse, answer.text, cut)
    return reading[0](*reading[1:]) if len(answer.whole) <= QUICKLY_READ else await asyncio.to_thread(*reading)


def kept(text: str) -> str:
    """What stands in the conversation for an answer: its text, unless it has none or is beyond all measure."""
    if not text.strip():
        return NO_ANSWER
    return text if len(text) <= LONGEST else f"[answer of more than {LONGEST} characters left out]"


def now() -> str:
    """The time, in UTC, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
