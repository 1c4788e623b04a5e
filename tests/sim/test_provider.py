"""Real calls through LiteLLM to the stub, over HTTP on this machine."""

import asyncio
import json
import time

import msgspec
import pytest

from sim.agents import AgentFailure
from sim.models.agent import Ask
from sim.models.cache import Cache
from sim.models.money import Ledger
from sim.models.provider import Provider
from sim.models.spec import Prices
from tests.sim.stub import KEY, parameters, stub

# Pydantic, about a type of LiteLLM's, when a process first builds a response.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.usefixtures("planted_key"),
    pytest.mark.filterwarnings("ignore:Item 'summary' on TypedDict class 'ChatCompletionReasoningItem'"),
]

HELLO = [{"role": "user", "content": "hello there, stub"}]


def call(server, ledger=None, cache=None, extra=None, **more):
    """The stub's answer to one ask, or the AgentFailure, and the seconds that it took."""
    p = parameters(server, **more)
    provider = Provider([p], ledger or Ledger(), cache)
    ask = Ask(model=p.model, messages=HELLO, max_tokens=p.max_tokens, extra=extra or {})
    began = time.monotonic()

    async def once():
        try:
            return await provider.answer(ask, p)
        except AgentFailure as failure:
            return failure

    return asyncio.run(once()), time.monotonic() - began


def from_cache(answer):
    return msgspec.structs.replace(answer, usage=msgspec.structs.replace(answer.usage, from_cache=True))


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
    assert ledger.spent == pytest.approx((5 + 2 * -(-len(answer.text) // 4)) / 1e6)


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


PRICES = Prices(1.0, 2.0, None)

# One row a response under a status of 200 that can't be used: what its tokens cost, and what may be charged unseen.
UNUSABLE = [
    ("no-choices", 3 * 26e-6, 0),
    ("parts", 0, 3),
    ("cut-body", 0, 3),
    ("cut-stream", 0, 3),
    ("no-json", 0, 3),
    ("usage-text", 0, 3),
]


@pytest.mark.parametrize(("kind", "usd", "unmetered"), UNUSABLE)
def test_responses_that_can_t_be_used_are_charged_for_and_soon_given_up(kind, usd, unmetered):
    with stub(kind, stubborn=True) as server:
        ledger = Ledger()
        failure, _ = call(server, ledger, prices=PRICES, max_tokens=10, retries=None)
        assert server.requests == 3
    assert isinstance(failure, AgentFailure)
    tally = ledger.of("openai/stub")
    assert (tally.answers, tally.unmetered) == (0, unmetered)
    assert tally.cost_usd == pytest.approx(usd)
    assert tally.presumed_usd == pytest.approx(unmetered * (5 + 20) / 1e6)


@pytest.mark.parametrize("kind", ["500", "429-bare", "503", "529", "reset", "400", "401"])
def test_what_was_refused_or_never_arrived_is_not_charged_for(kind):
    with stub(kind, stubborn=True) as server:
        ledger = Ledger()
        call(server, ledger, prices=PRICES, retries=1)
    assert (ledger.spent, ledger.of("openai/stub").unmetered) == (0, 0)


def test_a_call_that_a_deadline_of_litellm_s_own_ends_may_be_charged_for():
    with stub(latency=30_000) as server:
        ledger = Ledger()
        failure, _ = call(server, ledger, prices=PRICES, max_tokens=10, retries=0, extra={"timeout": 0.3})
    assert "408 " in str(failure)
    assert (ledger.of("openai/stub").unmetered, ledger.spent) == (1, pytest.approx(25e-6))


def test_a_server_that_is_not_there_is_not_charged_for():
    with stub() as server:
        pass
    ledger = Ledger()
    failure, _ = call(server, ledger, prices=PRICES, retries=1)
    assert "Connection error" in str(failure)
    assert ledger.spent == 0


def test_usage_below_0_is_unmetered_and_never_subtracted():
    with stub("usage-below-0") as server:
        ledger = Ledger()
        answer, _ = call(server, ledger, prices=PRICES, max_tokens=10)
    assert (answer.usage.input_tokens, answer.usage.output_tokens, answer.usage.cost_usd) == (None, None, None)
    tally = ledger.of("openai/stub")
    assert (tally.answers, tally.unmetered, tally.input_tokens, tally.output_tokens, tally.cost_usd) == (1, 1, 0, 0, 0)
    assert ledger.spent == pytest.approx(25e-6)


def together(server, cache, times, **more):
    """The answers to as many equal asks at once, and the ledger."""
    p, ledger = parameters(server, **more), Ledger()
    provider = Provider([p], ledger, cache)
    ask = Ask(model=p.model, messages=HELLO)

    async def all_of_them():
        return await asyncio.gather(*(provider.answer(ask, p) for _ in range(times)), return_exceptions=True)

    return asyncio.run(all_of_them()), ledger


def test_equal_questions_at_once_are_asked_once_and_answered_alike(tmp_path):
    with stub(latency=50) as server:
        answers, ledger = together(server, Cache(tmp_path), 4)
        assert server.requests == 1
    assert len({id_of(a) for a in answers}) == 1
    assert (ledger.of("openai/stub").answers, ledger.of("openai/stub").from_cache) == (1, 3)


def id_of(answer):
    return answer.usage.response_id, answer.text


def test_a_question_whose_first_asker_fails_is_asked_by_the_next(tmp_path):
    with stub("400") as server:
        answers, _ = together(server, Cache(tmp_path), 3)
        assert server.requests == 2
    assert [isinstance(a, AgentFailure) for a in answers] == [True, False, False]


# One row a refusal that is so for all who ask.
FOR_ALL = ["429-bare", "503", "529"]


@pytest.mark.parametrize("kind", [*FOR_ALL, "500", "reset"])
def test_an_outage_is_waited_out_for_as_long_as_it_may_take(kind):
    with stub(kind, arrivals=9) as server:
        answer, _ = call(server, retries=None, backoff=0.001)
        assert server.requests == 10
    assert len(answer.usage.failed_attempts) == 9


def test_an_outage_that_lasts_longer_is_a_failure():
    with stub("503", stubborn=True) as server:
        failure, _ = call(server, retries=None, retry_for=0.2)
        assert server.requests > 2
    assert "the stub is down" in str(failure)


@pytest.mark.parametrize("kind", FOR_ALL)
def test_a_refusal_pauses_all_who_call_the_provider(kind):
    with stub(kind) as server:
        p = parameters(server, backoff=0.2)
        provider = Provider([p], Ledger())
        lane = provider.lane(p)

        async def ask():
            asking = asyncio.create_task(provider.answer(Ask(model=p.model, messages=HELLO), p))
            while lane.down is None:
                await asyncio.sleep(0.001)
            paused = lane.open_at - asyncio.get_running_loop().time()
            await asking
            return paused

        assert 0 < asyncio.run(ask()) <= 0.25
    assert lane.down is None


@pytest.mark.parametrize("kind", ["filter-200", "filter-400"])
def test_a_filter_is_an_answer_that_says_so_whether_by_200_or_400(kind, tmp_path):
    with stub(kind, stubborn=True) as server:
        answer, _ = call(server, cache=Cache(tmp_path))
        again, _ = call(server, cache=Cache(tmp_path))
        assert server.requests == 1
    assert (answer.text, answer.usage.finish_reason) == ("", "content_filter")
    assert again == from_cache(answer)


def test_an_empty_answer_is_asked_for_once_more_and_not_kept(tmp_path):
    with stub("empty") as server:
        ledger = Ledger()
        answer, _ = call(server, ledger, Cache(tmp_path))
        assert server.requests == 2
        call(server, cache=Cache(tmp_path))
        assert server.requests == 4
    assert (answer.text, answer.usage.failed_attempts) == ("", ("an empty answer",))
    assert ledger.of("openai/stub").answers == 2


def test_an_answer_after_an_empty_one_counts(tmp_path):
    with stub("empty", arrivals=1) as server:
        answer, _ = call(server, cache=Cache(tmp_path))
        call(server, cache=Cache(tmp_path))
        assert server.requests == 2
    assert json.loads(answer.text)["actions"] == []
    assert answer.usage.failed_attempts == ("an empty answer",)


# A fault that passes → what its attempt took that was, or may be, charged for: input and output tokens and dollars.
CHARGED = [
    ("empty", [(4, 11, 26e-6)]),
    ("no-choices", [(4, 11, 26e-6)]),
    ("no-json", [(None, None, None)]),
    ("500", []),
]


@pytest.mark.parametrize(("kind", "took"), CHARGED)
def test_an_answer_says_what_attempts_before_it_took(kind, took):
    with stub(kind, arrivals=1) as server:
        ledger = Ledger()
        answer, _ = call(server, ledger, prices=Prices(1.0, 2.0, None))
    parts = answer.usage.charged_attempts
    assert [(c.input_tokens, c.output_tokens, c.cost_usd) for c in parts] == [pytest.approx(part) for part in took]
    paid = sum(part.cost_usd or 0 for part in (answer.usage, *parts))
    assert ledger.of("openai/stub").cost_usd == pytest.approx(paid)


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
    assert second == from_cache(first)
    assert (ledger.of("openai/stub").from_cache, ledger.of("openai/stub").attempts) == (1, 0)
