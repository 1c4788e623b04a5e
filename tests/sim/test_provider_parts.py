import asyncio
from datetime import UTC, datetime
from types import SimpleNamespace as Namespace

import msgspec
import pytest

from sim.models.agent import Answer, Ask, Usage
from sim.models.cache import Cache, digest, kept_as
from sim.models.failures import CallError, call_error, is_billed, seconds, secrets
from sim.models.library import litellm
from sim.models.limits import RateLimiter, Tries, wait_before
from sim.models.money import BudgetSpent, Ledger
from sim.models.prices import cost, presumed_cost
from sim.models.response import usage_of
from sim.models.spec import LlmParameters, Prices

NOW = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)
P = LlmParameters(model="m")
NONE = secrets(())
ASK = Ask(model="m", messages=[{"role": "user", "content": "hi"}])
ANSWER = Answer("hello", Usage(model="m", input_tokens=3, failed_attempts=("500 oh",)))

# One row a Retry-After header: the seconds that it asks to wait.
HEADERS = [
    ("3", 3.0),
    ("0.5", 0.5),
    ("-1", 0.0),
    ("Sun, 01 Mar 2026 13:00:07 +0100", 7.0),
    ("Sun, 01 Mar 2026 11:00:00 GMT", 0.0),
    ("soon", None),
]


@pytest.mark.parametrize(("text", "wanted"), HEADERS)
def test_retry_after_is_a_number_or_a_date(text, wanted):
    assert seconds(text, NOW) == wanted


class Failed(Exception):
    def __init__(self, status, headers=None):
        super().__init__(f"failed with {status}")
        self.status_code = status
        self.litellm_response_headers = headers


@pytest.mark.parametrize(
    ("status", "final"),
    [(400, True), (401, True), (403, True), (404, True), (422, True), (408, False), (409, False), (429, False)]
    + [(status, False) for status in (500, 502, 503, 504, 529)],
)
def test_only_what_may_pass_is_tried_again(status, final):
    assert call_error(Failed(status), P, NONE).final == final


def test_a_failure_is_one_line_without_a_traceback():
    long = Exception("first\nsecond " + "x" * 900)
    assert str(call_error(long, P, NONE)).startswith("unusable response (Exception: first second xxx")
    assert len(str(call_error(long, P, NONE))) == 300
    traced = Exception("oh. Traceback (most recent call last): File a/b.py")
    assert str(call_error(traced, P, NONE)) == "unusable response (Exception: oh."


def test_a_wait_that_is_too_long_ends_the_attempts():
    error = call_error(Failed(429, {"retry-after": "3600"}), P, NONE)
    assert error.final
    assert "asks to wait 3600 s, more than 600" in str(error)


def test_the_wait_is_the_server_s_or_doubles_within_bounds():
    assert wait_before(P, CallError("", 429, False, 7.0), 1, "a") == 7.0
    assert wait_before(P, CallError("", 429, False, 7.0), 5, "a") >= 12.0
    waits = [wait_before(P, CallError("", 500, False), n, "a") for n in range(1, 12)]
    assert all(0.75 * 2 ** (n - 1) <= w <= 1.25 * 2 ** (n - 1) for n, w in enumerate(waits[:6], start=1))
    assert max(waits) <= 75
    assert waits[0] == wait_before(P, CallError("", 500, False), 1, "a")


def test_equal_asks_have_one_digest_and_any_difference_another():
    same = Ask(model="m", messages=[{"role": "user", "content": "hi"}])
    others = [
        Ask(model="n", messages=ASK.messages),
        Ask(model="m", messages=[{"role": "user", "content": "ho"}]),
        Ask(model="m", messages=ASK.messages, temperature=0.0),
        Ask(model="m", messages=ASK.messages, sample=1),
        Ask(model="m", messages=ASK.messages, extra={"top_p": 1}),
    ]
    assert digest(ASK) == digest(same)
    assert len({digest(a) for a in [ASK, *others]}) == 6


def test_a_kept_answer_comes_back_whole(tmp_path):
    cache = Cache(tmp_path)
    assert cache.get(digest(ASK)) is None
    cache.put(digest(ASK), "m", ANSWER)
    assert cache.get(digest(ASK)) == ANSWER
    assert [p.suffix for p in tmp_path.rglob("*") if p.is_file()] == [".json"]


@pytest.mark.parametrize("content", [b"", b"{", b'{"sha256": "x", "model": "m"}', b"\xff"])
def test_a_broken_file_of_the_cache_counts_as_none(tmp_path, content):
    cache = Cache(tmp_path)
    cache.put(digest(ASK), "m", ANSWER)
    cache.path(digest(ASK)).write_bytes(content)
    assert cache.get(digest(ASK)) is None


def test_two_customers_models_of_one_name_have_answers_of_their_own(monkeypatch):
    monkeypatch.setenv("AZURE_API_BASE", "http://127.0.0.1:8")
    by_variable = LlmParameters(model="azure/m", needs_env=("AZURE_API_BASE",))
    places = [LlmParameters(model="azure/m", api_base=f"http://127.0.0.1:{port}") for port in (8, 9)]
    assert kept_as(ASK, by_variable) == kept_as(ASK, places[0]) != kept_as(ASK, places[1])
    others = [msgspec.structs.replace(p, model="openai/m") for p in places]
    assert {kept_as(ASK, p) for p in (*others, LlmParameters(model="azure/m"))} == {digest(ASK)}


# One row what a provider says of tokens sent, answered, cached among those sent, and of reasoning among those answered;
# what of it is kept, and whether the cost is known.
COUNTS = [
    ((100, 20, 40, 10), (100, 20, 40, 10), True),
    ((100, 20, None, None), (100, 20, None, None), True),
    ((100, 20, 500, None), (None, 20, None, None), False),
    ((0, 9, 64, None), (None, 9, None, None), False),
    ((100, 20, 0, 900), (100, None, 0, None), False),
    ((10**12, 5, None, None), (None, 5, None, None), False),
    ((100, 20, -1, None), (100, 20, None, None), False),
    ((100.5, 20, None, None), (None, 20, None, None), False),
]


@pytest.mark.parametrize(("told", "wanted", "priced"), COUNTS)
def test_no_count_is_kept_that_is_absurd_or_contradicts_another(told, wanted, priced):
    sent, answered, cached, thought = told
    details = {"prompt_tokens_details": Namespace(cached_tokens=cached)}
    details["completion_tokens_details"] = Namespace(reasoning_tokens=thought)
    counts = Namespace(prompt_tokens=sent, completion_tokens=answered, **details)
    prices = Prices(2.0, 10.0, None)
    p = LlmParameters(model="m", prices=prices)
    usage = usage_of(Namespace(usage=counts), p, (prices, "team, x"), NONE, None)
    kept = (usage.input_tokens, usage.output_tokens, usage.cached_input_tokens, usage.reasoning_tokens)
    assert (kept, usage.cost_usd is not None, usage.priced_by is not None) == (wanted, priced, priced)


@pytest.mark.parametrize(
    ("said", "kept"),
    [({"content": "ok"}, None), ({"content": None, "tool_calls": [1]}, None), ({"content": ""}, 0)],
)
def test_a_text_that_took_no_tokens_was_not_counted(said, kept):
    prices, p = Prices(2.0, 10.0, None), LlmParameters(model="m", prices=Prices(2.0, 10.0, None))
    counts = Namespace(prompt_tokens=100, completion_tokens=0)
    response = Namespace(usage=counts, choices=[Namespace(message=Namespace(**said))])
    usage = usage_of(response, p, (prices, "team, x"), NONE, None)
    assert (usage.output_tokens, usage.cost_usd is None) == (kept, kept is None)


def test_costs_are_per_million_tokens():
    assert cost(Prices(2.0, 10.0, None, 0.5), 1_000_000, 100_000, cached=400_000) == pytest.approx(1.2 + 0.2 + 1.0)


# One row a team's max_tokens, its model, the answer's text, and how many tokens of an answer are presumed.
PRESUMED = [
    (1_000_000, "openai/gpt-5.4-mini", "ok", 1_000_000),
    (None, "openai/gpt-5.4-mini", "ok", 128_000),
    (None, "openai/unheard-of", "", 0),
    (None, "openai/unheard-of", "x" * 4_000_000, 1_000_000),
]


@pytest.mark.parametrize(("most", "model", "text", "given"), PRESUMED)
def test_an_answer_that_nobody_counted_is_presumed_as_long_as_it_may_be_or_is(most, model, text, given):
    p = LlmParameters(model=model, max_tokens=most)
    assert presumed_cost(p, None, 4_000_000, litellm(), text) == 0
    presumed = presumed_cost(p, (Prices(2.0, 10.0, None), "team"), 4_000_000, litellm(), text)
    assert presumed == pytest.approx(2 + 10 * given / 1e6, rel=1e-5)


def test_unknown_costs_are_counted_and_never_0():
    ledger = Ledger()
    ledger.answered(Usage(model="m", input_tokens=5, output_tokens=5, cost_usd=0.25), 9.0)
    ledger.answered(Usage(model="m"), 1.0)
    tally = ledger.of("m")
    assert (tally.cost_usd, tally.unpriced, tally.unmetered) == (0.25, 1, 1)
    assert "and 1 answers of unknown cost" in tally.text and "1 requests without token counts" in tally.text
    ledger.answered(Usage(model="n", input_tokens=5, output_tokens=5), 0.0)
    assert "cost unknown" in ledger.of("n").text


def test_a_budget_counts_what_may_have_been_charged():
    ledger = Ledger(1.0)
    ledger.check()
    ledger.given_up("m", 1.0)
    with pytest.raises(BudgetSpent, match=r"budget of 1\.00 USD"):
        ledger.check()


def test_only_so_many_get_through_and_none_while_it_pauses():
    async def rush():
        limiter, loop = RateLimiter(2, None), asyncio.get_running_loop()
        began, inside, most = loop.time(), 0, 0
        limiter.failed(CallError("", 429, False), began, lambda refusals: 0.05)

        async def one():
            nonlocal inside, most
            async with limiter.turn():
                inside += 1
                most = max(most, inside)
                await asyncio.sleep(0.01)
                inside -= 1

        await asyncio.gather(*(one() for _ in range(6)))
        return most, loop.time() - began

    most, took = asyncio.run(rush())
    assert most == 2
    assert took >= 0.08


def test_a_rate_holds_from_the_first_minute_on():
    async def rush():
        limiter, loop = RateLimiter(10, 1200), asyncio.get_running_loop()
        began = loop.time()

        async def one():
            async with limiter.turn():
                return loop.time() - began

        return await asyncio.gather(*(one() for _ in range(5)))

    times = asyncio.run(rush())
    assert max(times) >= 0.18


def test_attempts_end_by_time_by_number_and_by_what_they_cost():
    clock = iter(range(0, 10_000, 100))
    tries = Tries(P, lambda: next(clock))
    tries.add(CallError("one", 429, False))
    assert not tries.are_over(60)
    assert [tries.are_over(60) for _ in range(8)].index(True) == 7
    assert tries.time_is_up
    few = Tries(msgspec.structs.replace(P, retries=1), lambda: 0.0)
    few.add(CallError("one", 500, False))
    assert not few.are_over(1)
    few.add(CallError("two", 500, False))
    assert few.are_over(1) and not few.time_is_up
    dear = Tries(P, lambda: 0.0)
    for _ in range(3):
        assert not dear.are_over(1)
        dear.add(CallError("broken", 500, False, billed=True))
    assert dear.are_over(1)


def test_refusals_of_calls_that_were_under_way_together_count_once():
    async def refuse():
        limiter, began, asked = RateLimiter(8, None), asyncio.get_running_loop().time(), []

        def fail(after):
            error = CallError("", 429, False)
            limiter.failed(error, began + after, lambda refusals: asked.append(refusals) or 0.0)

        for after in (0, 0, 0, 1):
            fail(after)
        limiter.answered()
        fail(2)
        return asked

    assert asyncio.run(refuse()) == [1, 1, 1, 2, 1]


def down(limiter, problem):
    limiter.failed(CallError(problem, 503, False), 0.0, lambda refusals: 0.0)


async def until_ready(limiter, *steps):
    """Whether a game may begin after each step, and what the limiter says in the end."""
    waiting = asyncio.create_task(limiter.ready())
    seen = []
    for step in steps:
        step()
        for _ in range(5):
            await asyncio.sleep(0)
        seen.append(waiting.done())
    return seen, await waiting


def test_no_game_begins_while_a_provider_is_down_and_others_try_it():
    async def answered():
        limiter = RateLimiter(8, None)
        down(limiter, "503")
        with limiter.question():
            return await until_ready(limiter, lambda: None, lambda: down(limiter, "again"), limiter.answered)

    assert asyncio.run(answered()) == ([False, False, True], None)


def test_a_game_may_try_a_provider_that_nobody_tries_until_it_is_given_up():
    async def left():
        limiter = RateLimiter(8, None)
        down(limiter, "503")
        question = limiter.question()
        question.__enter__()
        first = await until_ready(limiter, lambda: None, lambda: question.__exit__(None, None, None))
        limiter.given_up = 2
        return first, await limiter.ready()

    assert asyncio.run(left()) == (([False, True], None), "503")


def test_a_call_that_never_left_for_lack_of_a_package_is_not_billed():
    error = RuntimeError("no answer")
    error.__cause__ = ModuleNotFoundError("No module named 'mcp'")
    error.status_code = 500
    assert not is_billed(error)
