"""Real calls through LiteLLM to the stub, over HTTP on this machine."""

import asyncio
import json
import time
from email.utils import formatdate

import msgspec
import pytest
from aiohttp import web

from sim.agents import AgentFailure
from sim.models.agent import Answer, Ask, read_answer
from sim.models.cache import Cache
from sim.models.money import Ledger
from sim.models.provider import Provider
from sim.models.serve.server import error
from sim.models.spec import Prices
from tests.sim.stub import KEY, LIMIT, content_of, parameters, stub, with_choice

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("planted_key")]

HELLO = [{"role": "system", "content": "you schedule"}, {"role": "user", "content": "hello"}]
PRICES = Prices(1.0, 2.0, None)


def answers(server, *texts, ledger=None, cache=None, log=None, **more):
    """What becomes of an ask of each text, all at once: an Answer, or an AgentFailure."""
    p = parameters(server, **more)
    provider = Provider([p], ledger or Ledger(), cache, *([log] if log else []))

    async def one(text):
        try:
            messages = [HELLO[0], {"role": "user", "content": text}]
            return await provider.answer(Ask(model=p.model, messages=messages, max_tokens=p.max_tokens), p)
        except AgentFailure as failure:
            return failure

    async def every():
        return await asyncio.gather(*map(one, texts))

    return asyncio.run(every())


def call(server, **more):
    (answer,) = answers(server, "hello", **more)
    return answer


def from_cache(answer):
    return msgspec.structs.replace(answer, usage=msgspec.structs.replace(answer.usage, from_cache=True))


def told(status, problem, headers=None, **more):
    """An answer's body replaced by an error, in the words of some server."""
    body = {"error": problem} if not isinstance(problem, dict) or "error" not in problem else problem
    return lambda _: web.json_response(body | more, status=status, headers=headers)


def test_an_answer_says_what_it_took():
    with stub() as server:
        ledger = Ledger()
        answer = call(server, ledger=ledger, prices=PRICES)
    usage = answer.usage
    assert json.loads(answer.text)["actions"] == [] and server.seen[0]["messages"] == HELLO
    assert (usage.input_tokens, usage.output_tokens, usage.finish_reason) == (4, 11, "stop")
    assert ledger.of("openai/stub").cost_usd == usage.cost_usd == pytest.approx(26e-6)


def test_a_known_model_is_priced_by_the_table_and_an_unknown_price_is_unknown():
    with stub() as server:
        usage, unknown = call(server, model="openai/gpt-5.4-mini").usage, call(server).usage
    assert usage.cost_usd == pytest.approx((4 * 0.75 + 11 * 4.5) / 1e6)
    assert usage.priced_by.startswith("litellm ")
    assert (unknown.cost_usd, unknown.priced_by) == (None, None)


def test_a_trace_keeps_who_answered_and_the_reasoning_that_is_shown():
    with stub("reasons") as server:
        usage = call(server).usage
    assert (usage.model, usage.served_model, usage.system_fingerprint) == ("openai/stub", "stub-2026-01-01", "fp_stub")
    assert (usage.reasoning, usage.reasoning_tokens, usage.refusal) == ("Let me see.", 2000, "not that")
    assert usage.response_id.startswith("chatcmpl-") and not usage.from_cache


@pytest.mark.parametrize("counts", [None, dict.fromkeys(("prompt_tokens", "completion_tokens"), -1_000_000)])
def test_a_response_without_sound_counts_is_unmetered_and_presumed_in_full(counts):
    with stub(odd=lambda body: body | {"usage": counts}) as server:
        ledger = Ledger()
        usage = call(server, ledger=ledger, prices=PRICES, max_tokens=10).usage
    tally = ledger.of("openai/stub")
    assert (usage.input_tokens, usage.output_tokens, usage.cost_usd) == (None, None, None)
    assert (tally.answers, tally.unmetered, tally.input_tokens, tally.cost_usd) == (1, 1, 0, 0)
    assert ledger.spent == pytest.approx((5 + 20) / 1e6)


@pytest.mark.parametrize("beside", ["", "\n\n", "I wait."])
def test_all_tool_calls_are_the_answer_and_the_text_beside_them_is_not(beside):
    arguments = ('{"actions": [1]}', {"actions": [2]})
    calls = [{"id": None, "type": "function", "function": {"name": "answer", "arguments": a}} for a in arguments]
    with stub(odd=lambda body: with_choice(body, beside, "tool_calls", tool_calls=calls)) as server:
        answer = call(server)
        assert server.requests == 1
    assert (answer.text, answer.calls) == (beside, ('{"actions": [1]}', '{"actions": [2]}'))
    assert answer.whole == "\n".join([*filter(None, [beside.strip()]), *answer.calls])
    called = {"name": "answer", "arguments": arguments[0]}
    with stub(odd=lambda body: with_choice(body, beside, "function_call", function_call=called)) as server:
        assert call(server).calls == arguments[:1]


DRAFT = '{"actions": [{"type": "dm", "to": 1, "content": "hi"}]}'
# One row the provider's word for an answer's end: what is kept of it, in LiteLLM's words too, and whether a draft is
# played that a thought follows.
ENDS = [
    ("eos_token", "eos_token", "stop", True),
    ("STOP", "STOP", "stop", True),
    (None, None, None, False),
    ("model_length", "model_length", "model_length", False),
    ("length", "length", "length", False),
    (7, None, None, False),
]


@pytest.mark.parametrize("model", ["openai/stub", "openrouter/stub"])
@pytest.mark.parametrize(("word", "kept", "ended", "played"), ENDS)
def test_an_answer_is_finished_only_by_the_provider_s_word_which_is_kept(model, word, kept, ended, played):
    def odd(body):
        changed = with_choice(body, f"{DRAFT}\nHmm, wait, is that wise? Let me")
        changed["choices"][0]["finish_reason"] = word
        return changed

    with stub(odd=odd) as server:
        answer = call(server, model=model)
    assert (answer.usage.finish_reason, answer.ended) == (kept, ended)
    assert bool(asyncio.run(read_answer(answer)).actions) == played


OVERLOADED = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded", "code": 529}}
OVERLOADS = [told(500, OVERLOADED), told(500, {"type": "overloaded_error", "message": "Overloaded"})]
FLAGGED = {"message": "requires moderation", "code": 403, "metadata": {"reasons": ["violence"], "flagged_input": "h"}}
LM_STUDIO = "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with less"
OPENROUTER = "This endpoint's maximum context length is 4096 tokens. However, you requested about 9000 tokens"


def in_choice(code, message):
    """An answer whose choice tells of an error."""
    told = {"error": {"message": message, "code": code}}
    return lambda body: body | {"choices": [with_choice(body, "", "error")["choices"][0] | told]}


# One row a failure that lasts: how it is told, its category, and how many attempts are made at it.
CATEGORIES = [
    *(("500", "provider", 3), ("reset", "provider", 3), ("429", "quota", 3), ("401", "key", 1), ("400", "provider", 1)),
    *(
        ("context", "context", 1),
        ("no-json", "provider", 3),
        ("cut-body", "provider", 3),
        ("no-choices", "provider", 3),
    ),
    (told(400, LM_STUDIO), "context", 1),
    (told(400, {"message": OPENROUTER, "code": 400}), "context", 1),
    (told(413, "request entity too large"), "context", 1),
    (told(403, "forbidden"), "key", 1),
    (told(500, OVERLOADED), "provider", 3),
    (told(200, {"message": "Provider returned error", "code": 502}), "provider", 3),
    *(
        (told(status, {"message": "m", "code": code}), "provider", 1)
        for status in (400, 422)
        for code in ([1], {"a": 1})
    ),
    *((told(500, problem), "provider", 3) for problem in ([1, 2], {"message": {"a": ["b"]}}, None, 7)),
    (lambda body: with_choice(body, content=[{"type": "text", "text": "a"}]), "provider", 3),
    (lambda body: with_choice(body, '{"actions": [', "error"), "provider", 3),
    *((lambda body, word=word: with_choice(body, "", word), "provider", 3) for word in ("network_error", "failed")),
    (in_choice(502, "m"), "provider", 3),
    *(
        (how(code, m), kind, n)
        for how in (in_choice, lambda code, m: told(200, {"message": m, "code": code}))
        for code, m, kind, n in ((400, OPENROUTER, "context", 1), (401, "m", "key", 1), (429, "m", "quota", 3))
    ),
    (lambda body: body | {"choices": [body["choices"][0] | {"error": [KEY], "finish_reason": "error"}]}, "provider", 3),
    (lambda body: body | {"choices": None}, "provider", 3),
]


@pytest.mark.parametrize("model", ["openai/stub", "openrouter/stub"])
@pytest.mark.parametrize(("fault", "category", "attempts"), CATEGORIES)
def test_a_failure_that_lasts_has_a_category_and_shows_no_key(model, fault, category, attempts):
    given = {"faults": (fault,)} if isinstance(fault, str) else {"odd": fault}
    with stub(*given.pop("faults", ()), stubborn=True, **given) as server:
        failure = call(server, model=model)
    assert isinstance(failure, AgentFailure)
    assert (failure.category, server.requests) == (category, attempts), failure
    assert KEY not in str(failure)


# One row a refusal of a content filter, told by a status or in an answer.
FILTERS = [
    told(400, {"message": "triggering the content management policy", "code": "content_filter"}),
    told(403, FLAGGED),
    told(200, FLAGGED),
    in_choice(403, "requires moderation"),
    told(403, "Request blocked due to safety: PROHIBITED_CONTENT"),
    lambda body: with_choice(body, "", "content_filter"),
]


@pytest.mark.parametrize("odd", FILTERS)
@pytest.mark.parametrize("model", ["openai/stub", "openrouter/stub"])
def test_a_filter_is_an_answer_that_says_so(model, odd, tmp_path):
    with stub(odd=odd) as server:
        answer = call(server, model=model, cache=Cache(tmp_path))
        assert call(server, model=model, cache=Cache(tmp_path)) == from_cache(answer)
        assert server.requests == 1
    assert (answer.text, answer.usage.finish_reason) == ("", "content_filter")


@pytest.mark.parametrize(
    ("kind", "words"), [("500", "500 "), ("reset", "Connection error"), ("no-json", "Empty or in")]
)
def test_a_fault_that_passes_is_tried_again_recorded_and_logged(kind, words):
    log = []
    with stub(kind) as server:
        answer = call(server, log=log.append)
        assert server.requests == 2
    assert [words in failed for failed in answer.usage.failed_attempts] == [True]
    assert [(f.model, f.category, f.problem) for f in log] == [
        ("openai/stub", "provider", *answer.usage.failed_attempts)
    ]


def test_a_server_s_wait_is_kept():
    with stub("429-date") as server:
        began = time.monotonic()
        assert call(server).usage.failed_attempts[0].startswith("429 ")
    assert time.monotonic() - began >= 1.0


@pytest.mark.parametrize("wait", ["0", "-5", formatdate(0, usegmt=True), "nan"])
def test_a_wait_that_is_none_is_never_less_than_the_back_off(wait):
    with stub(odd=lambda _: error(429, "slow down", {"Retry-After": wait})) as server:
        failure = call(server, retries=None, retry_for=1.0, backoff=0.2)
        assert server.requests <= 4
    assert failure.category == "quota"


# LiteLLM, about a call that a busy machine cuts off before it was sent.
@pytest.mark.filterwarnings("ignore:coroutine '.*' was never awaited")
def test_the_deadline_holds_against_a_server_that_drips():
    with stub() as server:
        call(server)  # the first takes longer: LiteLLM loads what it needs for it
    with stub("drip", stubborn=True) as server:
        ledger, began = Ledger(), time.monotonic()
        failure = call(server, ledger=ledger, timeout=0.7, retries=1, prices=PRICES, max_tokens=10)
    # The server drips for two minutes.
    assert time.monotonic() - began < LIMIT
    assert failure.category == "deadline" and "no answer within 0.7 s" in str(failure)
    assert (ledger.of("openai/stub").unmetered, ledger.spent) == (2, pytest.approx(2 * 25e-6))


# One row a response that can't be used: what its tokens cost in three attempts, and what may be charged unseen.
UNUSABLE = [("no-choices", 3 * 26e-6, 0), ("cut-body", 0, 3), ("no-json", 0, 3)]
UNUSABLE += [(kind, 0, 0) for kind in ("500", "429", "503", "529", "reset", "400", "401")]


@pytest.mark.parametrize(("kind", "usd", "unmetered"), UNUSABLE)
def test_what_can_t_be_used_is_charged_for_and_soon_given_up_and_what_was_refused_is_not(kind, usd, unmetered):
    with stub(kind, stubborn=True) as server:
        ledger, most = Ledger(), None if usd or unmetered else 1
        assert isinstance(call(server, ledger=ledger, prices=PRICES, max_tokens=10, retries=most), AgentFailure)
        assert server.requests <= 3
    tally = ledger.of("openai/stub")
    assert (tally.answers, tally.unmetered, tally.cost_usd) == (0, unmetered, pytest.approx(usd))
    assert tally.presumed_usd == pytest.approx(unmetered * (5 + 20) / 1e6)


# A fault that passes → what its attempt took that was, or may be, charged for: input and output tokens and dollars.
CHARGED = [("empty", [(4, 11, 26e-6)]), ("no-choices", [(4, 11, 26e-6)]), ("no-json", [(None,) * 3]), ("500", [])]


@pytest.mark.parametrize(("kind", "took"), CHARGED)
def test_an_answer_says_what_attempts_before_it_took(kind, took):
    with stub(kind, arrivals=1) as server:
        ledger = Ledger()
        answer = call(server, ledger=ledger, prices=PRICES)
    parts = answer.usage.charged_attempts
    assert [(c.input_tokens, c.output_tokens, c.cost_usd) for c in parts] == [pytest.approx(part) for part in took]
    paid = sum(part.cost_usd or 0 for part in (answer.usage, *parts))
    assert ledger.of("openai/stub").cost_usd == pytest.approx(paid)


@pytest.mark.parametrize("kind", ["429", "503", "529", "500", "reset"])
def test_an_outage_is_waited_out_for_as_long_as_it_may_take(kind):
    with stub(kind, arrivals=9) as server:
        answer = call(server, retries=None, backoff=0.001)
    assert (server.requests, len(answer.usage.failed_attempts)) == (10, 9)
    with stub(kind, stubborn=True) as server:
        assert isinstance(call(server, retries=None, retry_for=0.2), AgentFailure)
        assert server.requests >= 2


# One row a refusal that is so for all who ask; LiteLLM gives the last ones the status 500.
@pytest.mark.parametrize("fault", ["429", "503", "529", *OVERLOADS])
def test_a_refusal_pauses_all_who_call_the_provider(fault):
    given = {"odd": fault} if callable(fault) else {}
    with stub(*(() if given else (fault,)), **given) as server:
        p = parameters(server, backoff=0.2)
        provider = Provider([p], Ledger())
        limiter = provider.limiter(p)

        async def ask():
            asking = asyncio.create_task(provider.answer(Ask(model=p.model, messages=HELLO), p))
            while limiter.down is None:
                await asyncio.sleep(0.001)
            paused = limiter.open_at - asyncio.get_running_loop().time()
            server.options = msgspec.structs.replace(server.options, odd=None)
            await asking
            return paused

        assert 0 < asyncio.run(ask()) <= 0.25
    assert limiter.down is None


def test_an_empty_answer_is_asked_for_once_more_and_not_kept(tmp_path):
    with stub("empty") as server:
        answer = call(server, cache=Cache(tmp_path))
        assert (answer.text, answer.usage.failed_attempts, server.requests) == ("", ("an empty answer",), 2)
        call(server, cache=Cache(tmp_path))
        assert server.requests == 4
    with stub("empty", arrivals=1) as server:
        assert json.loads(call(server, cache=Cache(tmp_path)).text)["actions"] == []


def test_a_wrong_key_is_asked_once_however_many_games_wait():
    with stub("401", stubborn=True) as server:
        failures = answers(server, *(f"game {n}" for n in range(8)))
        assert server.requests == 1
    assert {f.category for f in failures} == {"key"} and "Bearer [redacted]" in str(failures[0])


def test_a_key_that_was_taken_once_lets_many_ask_at_once():
    with stub(latency=200) as server:
        p = parameters(server)
        provider = Provider([p], Ledger())

        async def both():
            ask = Ask(model=p.model, messages=HELLO)
            await provider.answer(ask, p)
            began = asyncio.get_running_loop().time()
            await asyncio.gather(*(provider.answer(ask, p) for _ in range(8)))
            return asyncio.get_running_loop().time() - began

        # One after the other would take 1.6 s at least, on any machine.
        assert asyncio.run(both()) < 1.6


def test_a_missing_key_is_a_failure_before_any_request(monkeypatch):
    monkeypatch.delenv("STUB_KEY")
    with stub() as server:
        assert "STUB_KEY is not set" in str(call(server))
        assert server.requests == 0


def test_an_address_where_nothing_answers_is_named_and_not_charged_for():
    with stub() as server:
        pass
    ledger = Ledger()
    failure = call(server, ledger=ledger, prices=PRICES, retries=0)
    assert f"Nothing answers at {server.address}; check the address" in str(failure)
    assert ledger.spent == 0


def test_calls_to_this_machine_pass_by_a_proxy_and_others_name_it(monkeypatch):
    with stub() as gone:
        pass
    for name in ("HTTP_PROXY", "http_proxy"):
        monkeypatch.setenv(name, f"http://me:secret-word@127.0.0.1:{gone.port}")
    with stub() as server:
        assert isinstance(call(server), Answer)
        failure = call(server, api_base="http://192.0.2.1:9/v1", retries=0)
    assert f"Nothing answers at the proxy 127.0.0.1:{gone.port} of HTTP_PROXY; check it." in str(failure)
    assert "secret-word" not in str(failure)


@pytest.mark.parametrize("model", ["openai/stub", "openrouter/stub"])
def test_no_call_follows_a_redirect_to_another_server(model):
    with stub() as other, stub(odd=lambda _: web.Response(status=307, headers={"Location": to})) as server:
        to = f"{other.address}/chat/completions"
        failure = call(server, model=model)
        assert (server.requests, other.requests) == (1, 0)
    assert f"the server sends calls on to http://127.0.0.1:{other.port}" in str(failure)


def escaped(key):
    return "".join(f"\\u{ord(letter):04x}" for letter in key)


# One row a way in which an answer quotes the key: the body's change.
QUOTES = [
    lambda body: with_choice(body, content_of(body).replace("0 action(s)", f"My key is {KEY}.")),
    lambda body: with_choice(body, content_of(body).replace("0 action(s)", escaped(KEY))),
    lambda body: with_choice(body, content_of(body).replace("0 action(s)", escaped(KEY).replace("\\", "\\\\"))),
    lambda body: with_choice(body | {"id": KEY, "model": KEY, "system_fingerprint": KEY}, reason=KEY),
    lambda body: with_choice(body | {"id": [KEY], "created": KEY, "service_tier": {"a": KEY}}, audio=KEY),
    lambda body: with_choice(body, reasoning_content=KEY, refusal=KEY),
]


@pytest.mark.parametrize("odd", QUOTES)
def test_a_key_that_an_answer_quotes_is_kept_nowhere(odd, tmp_path, capfd):
    with stub(odd=odd) as server:
        answer = call(server, cache=Cache(tmp_path), retries=0)
    kept = repr(answer) + "".join(path.read_text() for path in tmp_path.rglob("*.json")) + "".join(capfd.readouterr())
    assert KEY not in kept and escaped(KEY) not in kept.replace("\\\\", "\\")


def test_equal_questions_at_once_are_asked_once_and_a_kept_answer_costs_no_request(tmp_path):
    with stub(latency=50) as server:
        ledger = Ledger()
        first, *others = answers(server, *["hello"] * 4, ledger=ledger, cache=Cache(tmp_path))
        assert call(server, ledger=ledger, cache=Cache(tmp_path)) == from_cache(first)
        assert server.requests == 1
    assert others == [from_cache(first)] * 3
    tally = ledger.of("openai/stub")
    assert (tally.answers, tally.attempts, tally.from_cache) == (1, 1, 4)


def test_a_question_whose_first_asker_fails_is_asked_by_the_next(tmp_path):
    with stub("400") as server:
        found = answers(server, *["hello"] * 3, cache=Cache(tmp_path))
        assert server.requests == 2
    assert [isinstance(a, AgentFailure) for a in found] == [True, False, False]


def test_replicas_share_the_games_and_take_over_from_one_that_is_down():
    with stub() as one, stub() as other:
        found = answers(one, *(f"game {n}" for n in range(12)), api_base=(one.address, other.address))
        assert one.requests and other.requests and one.requests + other.requests == 12
    with stub() as up:
        found += answers(up, *(f"game {n}" for n in range(4)), api_base=(up.address, one.address))
    assert all(isinstance(answer, Answer) for answer in found)
