"""Reading English takes work in proportion to a message's length, whatever it repeats.

Work is the lines of Python that run, which a machine's load doesn't change; what an expression does inside of one line
shows where a message as long as any may be fits into the budget of a trace.
"""

import sys
from collections.abc import Callable, Iterator
from types import FrameType

import pytest

from machine.cores import cpu_budget
from pipeline.behaviour.patterns import Thresholds, message_patterns
from pipeline.behaviour.phrases import stems
from pipeline.privacy.language import messages as language
from pipeline.privacy.language import passages
from pipeline.privacy.language.clause_rules import RULES, Rule
from pipeline.privacy.language.messages import MOST_CLAIMS
from pipeline.privacy.language.scan import RUN, SENTENCE_CHARS, scanner
from pipeline.traces.limits import CPU_SECONDS, MESSAGE_CHARS

pytestmark = pytest.mark.slow

REMEMBERED = ("statements", "_read_alone", "_read_on", "_read_short")

# What a message starts with, repeats, and ends with: an example of each thing that is read across a message.
Shape = tuple[str, str, str]
SHAPES: tuple[Shape, ...] = (
    ("slot 3 slot", " ", ","),
    ("", f"slot 3 slot{' ' * (RUN - 1)},", ""),
    ("I'm free " * 400 + ":\n", "- slot 3\n", ""),
    ("agents 1", " ", "x free"),
    ("", "not 3, ", ""),
    ("", '{"a": ', ""),
    ("", "| 3 | free |\n", ""),
    ("A = free, B = busy\n", "A B ", ""),
    ("", "A0: 1 2\n", ""),
    ("", "🟩 3 🟥 4 ", ""),
    ("I'm free at 3", ". It isn't", " free"),
    ("", 'Agent 1: "', " free 3"),
    ("", "Slot 3 is free. Both work. ", ""),
    ("", "b4 gr8 free 4 me ", ""),
    ("I'm free at 1-64, 65-128", ". It's free", ""),
    ("slot ", "1", ""),
    ("Slot 3 \u2192 ok", "\n", "ok"),
)


def read(message: str) -> None:
    language.statements(message)


def find(message: str) -> None:
    list(message_patterns(message, 0, [3], Thresholds()))
    stems(message)


@pytest.fixture(autouse=True)
def _nothing_is_remembered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    scanner().compile_all()
    for name in REMEMBERED:
        monkeypatch.setattr(language, name, getattr(language, name).__wrapped__)
    monkeypatch.setattr(passages, "outline", passages.outline.__wrapped__)
    yield


def lines_run(run: Callable[[str], None], message: str) -> int:
    """How many lines of Python a run takes, with calls and returns."""
    lines = 0

    def count(frame: FrameType, event: str, value: object) -> Callable[..., object]:
        nonlocal lines
        lines += 1
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        run(message)
    finally:
        sys.settrace(before)
    return lines


def lengthen(shape: Shape, length: int) -> str:
    """A message that repeats its part over so many characters."""
    start, part, end = shape
    return start + part * (length // len(part) + 1) + end


def assert_linear(run: Callable[[str], None], shape: Shape) -> None:
    """A message twice as long takes at most three times the work; within a sentence, at most six times."""
    for length, allowed in ((SENTENCE_CHARS // 4, 6), (SENTENCE_CHARS // 2, 6), (2 * SENTENCE_CHARS, 3)):
        once, twice = (lines_run(run, lengthen(shape, times * length)) for times in (1, 2))
        assert twice < allowed * once + 5_000, f"{shape} of {2 * length} characters: {twice} lines after {once}"


@pytest.mark.parametrize("run", [read, find])
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: ascii("".join(shape)[-12:]))
def test_a_message_twice_as_long_takes_twice_the_work(run: Callable[[str], None], shape: Shape) -> None:
    assert_linear(run, shape)
    with cpu_budget(CPU_SECONDS):
        run(lengthen(shape, 50 * SENTENCE_CHARS))


@pytest.mark.parametrize("shape", [("1\n", " ", "•"), ("{[", " ", ""), ("", ".", ""), ("", "*", "i")])
def test_the_longest_message_is_read_within_its_trace_s_budget(shape: Shape) -> None:
    with cpu_budget(CPU_SECONDS):
        read(lengthen(shape, MESSAGE_CHARS))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_so_does_every_rule(rule: Rule) -> None:
    assert_linear(read, ("", rule.example.rstrip(".?!") + ", ", ""))


def test_a_long_sentence_is_read_to_its_end_and_no_number_is_cut() -> None:
    told = language.statements(", ".join(f"slot {slot} is free" for slot in range(1000)))
    assert [slot for claim in told for slot in claim[1]] == list(range(1000))
    assert language.statements("9" * 3 * SENTENCE_CHARS + " I'm free at 3")[-1][1] == [3]


def test_a_message_makes_no_more_claims_than_a_table_should_hold() -> None:
    agents = ", ".join(map(str, range(99)))
    slots = ", ".join(f"{first}-{first + 63}" for first in range(0, 900, 64))
    told = language.statements(f"I'm free at 3. Agents {agents} and 99 are free at slots {slots}. I'm free at 5.")
    assert [list(claim[1]) for claim in told] == [[3]]
    assert sum(len(claim[0]) * len(claim[1]) for claim in told) <= MOST_CLAIMS
