"""Real calls through LiteLLM to the stub, over HTTP on this machine."""

import asyncio
import json
import time

import pytest

from sim.agents import AgentFailure
from sim.models.agent import Ask
from sim.models.money import Ledger
from sim.models.provider import Cache, Provider
from sim.models.spec import Prices
from tests.sim.stub import KEY, parameters, stub

# Pydantic, about a type of LiteLLM's, when a process first builds a response.
pytestmark = [
    pytest.mark.usefixtures("planted_key"),
    pytest.mark.filterwarnings("ignore:Item 'summary' on TypedDict class 'ChatCompletionReasoningItem'"),
]

HELLO = [{"role": "user", "content": "hello there, stub"}]


def call(server, ledger=None, cache=None, **more):
    """The stub's answer to one ask, or the AgentFailure, and the seconds that it took."""
    p = parameters(server, **more)
    provider = Provider([p], ledger or Ledger(), cache)
    ask = Ask(model=p.model, messages=HELLO, api_base=p.api_base, max_tokens=p.max_tokens)
    began = time.monotonic()

    async def once():
        try:
            return await provider.answer(ask, p)
        except AgentFailure as failure:
            return failure

    return asyncio.run(once()), time.monotonic() - began


def test_an_answer_says_what_it_took():
    with stub() as server:
        ledger = Ledger()
        answer, _ = call(server, ledger, prices=Prices(1.0, 2.0, None))
    assert json.loads(answer.text)["actions"] == []
    usage = answer.usage
    assert (usage.input_tokens, usage.output_tokens, usage.finish_reason) == (4, 11, "stop")
    assert usage.cost_usd == pytest.approx(26e-6)
    assert ledger.of("openai/stub").cost_usd == usage.cost_usd
    assert server.seen[0]["messages"] == HELLO


def test_an_unknown_price_is_unknown():
    with stub() as server:
        answer, _ = call(server)
    assert (answer.usage.cost_usd, answer.usage.priced_by) == (None, None)


def test_a_known_model_is_priced_by_the_table():
    with stub() as server:
        answer, _ = call(server, model="openai/gpt-5.4-mini")
    assert answer.usage.cost_usd == pytest.approx((4 * 0.75 + 11 * 4.5) / 1e6)
    assert answer.usage.priced_by.startswith("litellm ")


def test_a_response_without_usage_says_so():
    with stub("no-usage") as server:
        ledger = Ledger()
        answer, _ = call(server, ledger, prices=Prices(1.0, 2.0, None))
    assert (answer.usage.input_tokens, answer.usage.output_tokens, answer.usage.cost_usd) == (None, None, None)
    assert (ledger.of("openai/stub").unmetered, ledger.of("openai/stub").cost_usd) == (1, 0)
    assert ledger.spent > 0


# One row a fault that passes: what the record says of the attempt that failed.
PASSING = [
    ("500", "500 "),
    ("reset", "Connection error"),
    ("no-json", "Empty or invalid response"),
]


@pytest.mark.parametrize(("kind", "words"), PASSING)
def test_a_fault_that_passes_is_tried_again_and_recorded(kind, words):
    with stub(kind) as server:
        answer, _ = call(server)
        assert server.requests == 2
    assert len(answer.usage.failed_attempts) == 1
    assert words in answer.usage.failed_attempts[0]


@pytest.mark.parametrize(("kind", "least"), [("429", 1.0), ("429-date", 1.0)])
def test_a_server_s_wait_is_kept(kind, least):
    with stub(kind) as server:
        answer, took = call(server)
    assert took >= least
    assert answer.usage.failed_attempts[0].startswith("429 ")


# LiteLLM, about a call that a busy machine cuts off before it was sent.
@pytest.mark.filterwarnings("ignore:coroutine '.*' was never awaited")
def test_the_deadline_holds_against_a_server_that_drips():
    with stub() as server:
        call(server)  # the first takes longer: LiteLLM loads what it needs for it
    with stub("drip") as server:
        ledger = Ledger()
        # On a busy machine a good answer may be late, too: then it is asked for again.
        prices = Prices(1.0, 2.0, None)
        answer, took = call(server, ledger, timeout=0.7, retries=12, prices=prices, max_tokens=10)
    failed = answer.usage.failed_attempts
    assert set(failed) == {"no answer within 0.7 s"}
    # The server drips for two minutes.
    assert took < 60
    assert ledger.of("openai/stub").unmetered == len(failed)
    assert ledger.of("openai/stub").presumed_usd > 0


def test_a_fault_that_stays_is_a_failure_with_its_cause():
    with stub("500", stubborn=True) as server:
        failure, _ = call(server)
        assert server.requests == 3
    assert "the stub fails on request (3 attempt(s))" in str(failure)


@pytest.mark.parametrize("kind", ["400", "401"])
def test_what_is_wrong_is_not_tried_again(kind):
    with stub(kind, stubborn=True) as server:
        failure, _ = call(server)
        assert server.requests == 1
    assert f"{kind} " in str(failure)


def test_an_answer_without_choices_is_a_failure():
    with stub("no-choices") as server:
        failure, _ = call(server)
        assert server.requests == 3
    assert "unusable response" in str(failure)


def test_a_key_that_the_server_quotes_stays_out_of_the_failure():
    with stub("401", stubborn=True) as server:
        failure, _ = call(server)
    assert KEY not in str(failure)
    assert "Bearer [redacted]" in str(failure)


def test_a_missing_key_is_a_failure_before_any_request(monkeypatch):
    monkeypatch.delenv("STUB_KEY")
    with stub() as server:
        failure, _ = call(server)
        assert server.requests == 0
    assert "STUB_KEY is not set" in str(failure)


def test_a_kept_answer_costs_no_request(tmp_path):
    with stub() as server:
        first, _ = call(server, cache=Cache(tmp_path))
        ledger = Ledger()
        second, _ = call(server, ledger, Cache(tmp_path))
        assert server.requests == 1
    assert first == second
    assert (ledger.of("openai/stub").from_cache, ledger.of("openai/stub").attempts) == (1, 0)
