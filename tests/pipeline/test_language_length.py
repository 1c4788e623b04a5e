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

# What a message starts with, repeats, and ends with.
Shape = tuple[str, str, str]
SHAPES: tuple[Shape, ...] = (
    ("slot 3 slot", " ", ","),
    ("Slots 3 and 5. ", "The latter is free.\n", ""),
    ("", f"slot 3 slot{' ' * (RUN - 1)},", ""),
    ("I'm free " * 400 + ":\n", "- slot 3\n", ""),
    ("agents 1", " ", "x free"),
    *(("", each, "") for each in ("not 3, ", "slot ", "so 3, ", "know what 3 free ", "(", "slot three, ")),
    ("", '{"a": ', ""),
    ("", "| 3 | free |\n", ""),
    ("F = free, B = busy\n", "F 1 ", ""),
    *(
        ("A = free, B = busy\n", each, "")
        for each in ("A B ", "Option A: slot 4, ", "yes - 1, 2\n", "FREE 1 2\n", "[04] errand\n")
    ),
    *(
        ("", each, "")
        for each in ("F free, ", "green is free ", "old: 3\nnew: 4\n", "<br>", "~~", "A0: 1 2\n", "🟩🟥", "(2, free), ")
    ),
    ("a|b\n", "-", "x"),
    ("", "# a\n", ""),
    ("", "1 ", "x"),
    ("I'm free " * 20 + ":\n", "- slot 3\n", ""),
    *(("I'm free at 3 ", each, " free") for each in (" ", "\n", "0", "1, ", ")", '"', "'", "- ", "• ", "✅", ".")),
    *(
        ("", each, "")
        for each in ("They are free at 5. ", "you, ", "agent 1, ", "which ", "3 is not, ", "Free:\n- 3\n")
    ),
    *(
        ("", each, " free 3")
        for each in ('"\n', '"a ', 'Agent 1: "', 'Agent 1 said "I', "> ", "# ", "(3) ", "[", "✅\n", "3 🙂 ")
    ),
    ("", '> Agent 1: "I can do 3"\n', ""),
    ("", "1 2 3 - to cost ", ""),
    # Exceptions, what points back, what is taken back, the rest, options, strips and states.
    *(
        ("I'm free at 3", each, " free")
        for each in (", except 4", " but not 4", ". It isn't", ", that was wrong", ". So am I", ". Then nothing else")
    ),
    *(
        ("", each, "")
        for each in (
            "Slot 3 is free. Both work. ",
            "Slot 3. Yes. ",
            "Agent 1 is busy at 3, so slot 3 is out. ",
            "All but 4 and 5, bar 6. ",
            "Before that, nothing else. ",
            "🟩 3 🟥 4 ",
            "X..X.",
            "b4 gr8 free 4 me ",
            "excl. ",
            ", as I understand, is ",
        )
    ),
    *(("", each, "") for each in ('Agent 1. The reply: "', "Errands: 7; agents: 2; ", 'From Agent 4: {"free": [1]} ')),
    ("Agent 1:\n", "> I'm free at 3\n", ""),
    *(("I'm free at 1-64, 65-128", each, "") for each in (". It's free", ", it's free", ", 200-250")),
    *((start, " ", "x") for start in ("agents 1,", "cost", "cost is", "agent", "slots", "errand", "3 and", "Free:")),
    *((start, "1", "") for start in ("slot ", "agents ", "cost slot ", "errand #")),
    *(("", each, "") for each in ("3 ", "slot 3, ", "agent 1 and ", "not free at 3, ", "very ", "3-4-")),
    *(("", each, "") for each in ("if slot 3 works, ", "no need to ")),
    *(
        (start, joint, "ok")
        for start in ("Slot 3 \u2192 ok", "Agent 1 \u2192 Agent 2")
        for joint in ("\n", " ", "\n ", ".")
    ),
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


@pytest.mark.parametrize("joint", [" ", ", ", "\n", " " * RUN])
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_so_does_every_rule(rule: Rule, joint: str) -> None:
    words = rule.example.rstrip(".?!").split(" ")
    assert_linear(read, ("", joint.join((*words, "")), ""))


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
