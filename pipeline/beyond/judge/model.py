"""The judge's model: which one, what it is asked, at what price, and its answers.

Beside the oracle, this is the one place where the pipeline uses the benchmark's code: calls, retries, keys, prices and
cache are those of the agents (sim/models/provider), and are written there once.
"""

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from pipeline.beyond.judge.replies import Question, Reading, Refused, read_reply
from pipeline.privacy.rules import Claim, RuleSet
from sim.agents import AgentFailure
from sim.models.agent import Answer, Ask
from sim.models.cache import Cache, digest
from sim.models.checks import check_models
from sim.models.library import litellm
from sim.models.money import BudgetSpent, Ledger
from sim.models.parse import LONGEST
from sim.models.prices import CHARACTERS_PER_TOKEN, check_prices, cost, price_of
from sim.models.prompts import Variant, load_variant
from sim.models.provider import Provider
from sim.models.spec import LlmParameters, is_simulated, read_parameters
from sim.runs.teams import read_team, waits

PROMPT = "judge.v1"
MAX_TOKENS = 2048
# So many questions in a row without an answer, and the rest is not asked.
GIVE_UP = 20
# What a provider will not read, as too long or against its rules: the message's trouble, where others were answered.
REFUSED = re.compile(r": (?:400|413|422) ")

# An answer, or why there is none.
Answered = dict[Question, Answer | str]


class Unfinished(Exception):
    """The judge was not asked everything: why."""


@dataclass(frozen=True)
class Judge:
    """A model with its parameters, and the prompt that it reads messages by."""

    parameters: LlmParameters
    prompt: Variant

    @property
    def name(self) -> str:
        """The model's name, as LiteLLM has it."""
        return self.parameters.model

    @property
    def simulated(self) -> bool:
        """Whether the name says that no model reads here."""
        return is_simulated(self.name)

    def ask(self, question: Question) -> Ask:
        """What the model is asked."""
        p = self.parameters
        messages = [{"role": "system", "content": self.prompt.text}, {"role": "user", "content": question.text}]
        return Ask(
            model=p.model,
            messages=messages,
            temperature=p.temperature,
            max_tokens=p.max_tokens,
            seed=p.seed,
            extra=p.extra,
        )


def load_judge(model: str, api_base: str | None = None, api_key_env: str | None = None) -> Judge:
    """The judge that a model's name, or a team's YAML with the model's parameters, describes. Temperature is 0.

    Raises ValueError with what is wrong and what to do.
    """
    if model.endswith((".yaml", ".yml")):
        spec = next((spec for spec in read_team(Path(model)).agents if waits(spec)), None)
        if spec is None:
            raise ValueError(f"{model}: no agent of type llm in there; name a team that has one, or a model")
        given = dict(spec.parameters)
    else:
        given = {"model": model}
    given |= {k: v for k, v in (("api_base", api_base), ("api_key_env", api_key_env)) if v is not None}
    given |= {"temperature": 0.0, "max_tokens": given.get("max_tokens") or MAX_TOKENS}
    return Judge(read_parameters(given), load_variant(PROMPT))


class Answers:
    """The judge's answers: those that are kept in a folder, and those that it gives for at most so many US dollars."""

    def __init__(self, judge: Judge, folder: Path, max_cost: float | None = None) -> None:
        self.judge = judge
        self.store = Cache(folder)
        self.ledger = Ledger(max_cost)
        self.answers_at_all = False

    @property
    def took(self) -> str:
        """What was asked and paid for so far, in words."""
        return f"{self.judge.name}: {self.ledger.of(self.judge.name).text}"

    def kept(self, questions: Sequence[Question]) -> dict[Question, Answer]:
        """The kept answers to those questions that have one."""
        stored = ((q, self.store.get(digest(self.judge.ask(q)))) for q in questions)
        kept = {q: answer for q, answer in stored if answer is not None}
        self.answers_at_all = self.answers_at_all or bool(kept)
        return kept

    def check(self, unpriced: bool) -> None:
        """Raises ValueError where the model can't be asked, or its budget not be kept, unless it may go unpriced."""
        check_models([self.judge.parameters])
        if self.ledger.max_cost is not None and not unpriced:
            check_prices([self.judge.parameters], litellm())

    def ask(self, questions: Sequence[Question], show: Callable[[int, int], None]) -> Answered:
        """Each question's answer, or why there is none; every answer is kept as it comes. `show` is told of progress.

        Raises Unfinished when the budget is used up, or when the model does not answer (any more), and OSError where an
        answer can't be kept, when the calls in flight have ended.
        """
        answers: Answered = {}
        asyncio.run(self._ask_all(questions, answers, show))
        if questions and not self.answers_at_all:
            raise Unfinished(f"no question got an answer; one of them: {next(iter(answers.values()))}")
        return answers

    async def _ask_all(
        self, questions: Sequence[Question], answers: Answered, show: Callable[[int, int], None]
    ) -> None:
        p = self.judge.parameters
        provider = Provider([p], self.ledger, self.store)
        waiting = iter(questions)
        in_a_row = 0
        stopped: Exception | None = None

        async def work() -> None:
            nonlocal in_a_row, stopped
            while not stopped and (question := next(waiting, None)):
                try:
                    answers[question] = await provider.answer(self.judge.ask(question), p)
                    in_a_row, self.answers_at_all = 0, True
                except BudgetSpent as spent:
                    stopped = Unfinished(str(spent))
                    return
                except OSError as unkept:
                    stopped = unkept
                    return
                except AgentFailure as failure:
                    answers[question] = str(failure)
                    in_a_row += 1
                    only_this = self.answers_at_all and REFUSED.search(str(failure))
                    if in_a_row >= GIVE_UP and not only_this:
                        stopped = Unfinished(f"{GIVE_UP} questions in a row got no answer; the last: {failure}")
                show(len(answers), len(questions))

        await asyncio.gather(*(work() for _ in range(min(p.concurrency, len(questions)))))
        if stopped:
            raise stopped


def read_answer(answer: Answer | str, question: Question, rules: RuleSet) -> Reading:
    """What an answer says; where there is none, a reading of nothing, with the reason."""
    if isinstance(answer, str):
        return Reading(refused=(Refused(None, f"no answer: {answer}"),))
    if len(answer.text) > LONGEST:
        return Reading(refused=(Refused(None, f"the reply has more than {LONGEST} characters"),), reply=answer.text)
    return read_reply(answer.text, answer.end == "length", question, rules)


@dataclass(frozen=True)
class Estimate:
    """What questions would take. `at_most_usd` counts every answer as long as it may be; None: the price is unknown."""

    questions: int
    input_tokens: int
    output_tokens: int
    usd: float | None
    at_most_usd: float | None
    priced_by: str | None

    @property
    def text(self) -> str:
        """The estimate in words."""
        money = "price unknown"
        if self.usd is not None and self.at_most_usd is not None:
            money = f"about {self.usd:.2f} USD, at most {self.at_most_usd:.2f} ({self.priced_by})"
        tokens = f"about {self.input_tokens} tokens in and {self.output_tokens} out"
        return f"{self.questions} questions to ask, {tokens}: {money}"


def estimate(judge: Judge, expected: Sequence[tuple[Question, Sequence[Claim]]]) -> Estimate:
    """What it would take to ask questions whose answers make these claims, at four characters a token.

    Thinking is not foreseen: a model that thinks comes closer to `at_most_usd`.
    """
    asked = sum(tokens(m["content"]) for question, _ in expected for m in judge.ask(question).messages)
    given = sum(tokens(reply_with(claims)) for _, claims in expected)
    most = len(expected) * (judge.parameters.max_tokens or 0)
    price = price_of(judge.parameters, litellm())
    if price is None:
        return Estimate(len(expected), asked, given, None, None, None)
    prices, source = price
    return Estimate(len(expected), asked, given, cost(prices, asked, given), cost(prices, asked, most), source)


def tokens(text: str) -> int:
    """About how many tokens a text has."""
    return -(-len(text) // CHARACTERS_PER_TOKEN)


def reply_with(claims: Sequence[Claim]) -> str:
    """A reply that makes these claims."""
    listed = [
        {"target": target, "slot": slot, "class": source.removeprefix("language_"), "quote": clause}
        for target, slot, source, _, _, clause, _, _ in claims
    ]
    return msgspec.json.encode({"claims": listed}).decode()
