"""A sentence's statements: its clauses with their targets, without what a question only asks."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from pipeline.privacy.language.atoms import VERBLESS, Atom, atoms_of, phrases
from pipeline.privacy.language.clause_rules import read_clauses
from pipeline.privacy.language.clauses import Clause
from pipeline.privacy.language.frames import NARROWED
from pipeline.privacy.language.ranges import EXCEPTED, NUMBER, ONLY_REST, REST, Slots, slots_of
from pipeline.privacy.language.scan import Token
from pipeline.privacy.language.shapes import Number, each, starts_of
from pipeline.privacy.language.slots import CLASS_KINDS
from pipeline.privacy.language.targets import OPPOSITE, PRIORITY, SENDER, Span, left_out
from pipeline.privacy.language.targets import targets as targets_of_part

TAG = re.compile(
    r"\s*(?:right|correct|yes|yeah|ok|okay|agreed|no|true|is that (?:right|correct)|isn't it|doesn't it)\s*$"
)
ONESELF = re.compile(r"(?:i|my)\b")
OPENS = re.compile(
    r"(?:let|it is|lock|go|set|settl|done|final|confirm|mak|see|best|better|pick|winner)(?!\w*(?:ed|s)\b)"
)
# Words that repeat a class, or its opposite, of slots that a question or a condition named.
ECHOING = re.compile(r"\b(?:so|as|nor|neither|too|also|not|cannot)\b|n't")
# "Only slot 3 works for me": no other does.
ONLY = re.compile(
    r"\bonly (?:(?:have|got|free|available|open|at|in|on|for|during|do|make|can do|slots?|be) )*(?:slots?\s+)?#?0"
    r"|\bonly (?:\w+ )?(?:openings?|options?|availability|gaps?|windows?|free slots?|open slots?)\b|\b0 only\b|"
    r"\bonly (?:one|ones|slot|slots|time) (?:that )?(?:i (?:have|'ve got|still have)|is|are) "
    r"(?:still )?(?:free|open|left|available)\b|"
    r"\b(?:that's|that is|thats) (?:it|all)\b|\bnothing else\b"
)
SHARED = re.compile(r"\b(?:all|everyone|us|both|we|you|if|among|of these|of those|of the|out of|between)\b")
EDGES = " \t\n\r,;:-~()|"


# Claims of one class in one span, before their sender is known: targets (None where the sender speaks of itself),
# slots, class, start, end.
Statement = tuple[Sequence[int | None], Sequence[int], str, int, int]

ALONE = (None,)  # the targets of who speaks of itself alone
# Where a span of a passage stands in its message.
Places = Callable[[int, int], tuple[int, int]]


class StatementForm(NamedTuple):
    """What a sentence states: in which scope, of whom, which slots and ranges, of what class, where, and at what rank.

    Agents and slots are given by which of the sentence's numbers they are, None being the sender. Where a range names
    one end, FROM_ON, AFTER, UP_TO or BEFORE_IT stands for its second number; REST for the rest of the calendar. Of
    statements of one scope about one slot the lowest rank holds.
    """

    scope: int
    targets: tuple[int | None, ...]
    slots: tuple[tuple[int, int | None], ...]
    claim_class: str
    start: int
    end: int
    rank: int


class Reading(NamedTuple):
    """What a sentence states; whether it says what its slots are, so that nothing said before matters; and whether
    anything is of the rest of the calendar."""

    statements: tuple[StatementForm, ...]
    decided: bool
    of_rest: bool


NOTHING = Reading((), False, False)


def read(text: str, question: bool, before: str | None = None, after: int = 0) -> Reading:
    """The statements of a folded sentence, in its order; `before` is what the sender last said of itself.

    It serves a sentence that leaves its class out: "Slot 3 works. Not 5." What ends by `after` is left out:
    it is there for who "they" are.
    """
    tokens, start = phrases(text)
    if before is None and not _may_claim(text, tokens):
        return NOTHING
    atoms = atoms_of(text, tokens, start)
    decided = any(atom.claim_class for atom in atoms)
    if decided:
        before = None
    elif before:
        atoms = atoms_of(text, tokens, start, goes_on=True)
    clauses = [clause for clause in read_clauses(text, atoms, before) if clause.end > after]
    asked = _asked_from(text, atoms) if question else None
    forms = tuple(_statements(text, clauses, atoms, asked))
    return Reading(forms, decided, any(last in (REST, ONLY_REST) for form in forms for _, last in form.slots))


def _may_claim(text: str, tokens: Sequence[Token]) -> bool:
    """Whether a sentence has a word of a class, one that repeats a class, or only settles on a slot."""
    if not CLASS_KINDS.isdisjoint([token.kind for token in tokens]) or ECHOING.search(text):
        return True
    return VERBLESS.fullmatch(text) is not None


def _asked_from(text: str, atoms: Sequence[Atom]) -> int:
    """Where the question of a sentence with a ? starts, if no atom asks by its form: at the last, or before a tag."""
    if any(atom.mode == "question" for atom in atoms):
        return len(text)
    last = atoms[-1]
    if len(atoms) > 1 and TAG.fullmatch(text, last.start, last.end):
        last = atoms[-2]
    return last.start


def _statements(
    text: str, clauses: Sequence[Clause], atoms: Sequence[Atom], asked: int | None
) -> Iterator[StatementForm]:
    """What clauses state, by where they end; of a question, which starts at `asked`, those that mark their targets."""
    phrases = [token for atom in atoms for token in atom.tokens] if clauses else []
    targets_of: dict[int, tuple[Span, ...]] = {}
    ranks = {number.start(): rank for rank, number in enumerate(NUMBER.finditer(text))}
    for clause in sorted(clauses, key=lambda clause: clause.end):
        spans, marked = _targets(text, clause, phrases, targets_of)
        targets_of[id(clause)] = spans
        if spans and clause.claims and not _is_asked(text, clause, asked, marked):
            yield from _forms(text, clause, spans, ranks)


def _is_asked(text: str, clause: Clause, asked: int | None, marked: bool) -> bool:
    """Whether a clause is part of a question: not where it marks its targets and comes before, or is of the sender."""
    if asked is None or not marked:
        return asked is not None
    if clause.end <= asked:
        return False
    return not any(token.kind == "group" and ONESELF.match(text, token.start) for token in clause.tokens)


def _forms(text: str, clause: Clause, spans: Sequence[Span], ranks: Mapping[int, int]) -> Iterator[StatementForm]:
    """What a clause states of its targets, of those it leaves out, and of slots that something would move to."""
    claim_class = clause.claim_class or ""
    start, end = _trim(text, clause.start, clause.end)
    slots = tuple(_numbers_of(slot, ranks) for slot in clause.slots if claim_class == "proposal" or not slot.goal)
    rank = -1 if clause.overrides else PRIORITY.index(claim_class)
    if len(slots) == len(spans) > 1 and "respectively" in text[clause.start : clause.end + 16]:
        whom = _agents_of(sorted(spans, key=lambda span: span == SENDER), ranks)  # "Agent 2 and I"
        for slot, agent in zip(slots, whom, strict=True):
            yield StatementForm(clause.scope, (agent,), (slot,), claim_class, start, end, rank)
        return
    yield StatementForm(clause.scope, _agents_of(spans, ranks), slots, claim_class, start, end, rank)
    others = left_out(text, clause.tokens) if "but" in text or "except" in text or "apart" in text else ()
    if others and claim_class in OPPOSITE:
        yield StatementForm(clause.scope, _agents_of(others, ranks), slots, OPPOSITE[claim_class], start, end, rank)
    if claim_class == "positive" and SENDER in spans and _excludes_others(text, clause):
        only = tuple((first, ONLY_REST) for first, last in slots if last not in (REST, ONLY_REST))
        yield StatementForm(clause.scope, _agents_of(spans, ranks), only, "negative", start, end, rank)
    goals = _goals(clause, ranks)
    if goals:
        yield StatementForm(clause.scope, (None,), goals, "proposal", start, end, PRIORITY.index("proposal"))


def _excludes_others(text: str, clause: Clause) -> bool:
    """Whether what is free is all that is: "only slot 3 works for me"."""
    if not ("only" in text or "else" in text or "that" in text) or NARROWED.search(text):
        return False
    return ONLY.search(text, clause.start, clause.end) is not None and not SHARED.search(text, clause.start, clause.end)


def _goals(clause: Clause, ranks: Mapping[int, int]) -> tuple[tuple[int, int | None], ...]:
    """The slots to which a clause proposes to move what is there."""
    if clause.claim_class != "occupied" or all(token.kind != "proposal" for token in clause.tokens):
        return ()
    return tuple((ranks[slot.start], None) for slot in clause.slots if slot.goal)


def _numbers_of(slot: Slots, ranks: Mapping[int, int]) -> tuple[int, int | None]:
    """Which of the sentence's numbers a slot or the ends of a range are; of a range with one end how it is open."""
    if slot.open == REST:
        return 0, REST
    return ranks[slot.start], slot.open or (ranks[slot.to_start] if slot.to_start >= 0 else None)


def _agents_of(spans: Sequence[Span], ranks: Mapping[int, int]) -> tuple[int | None, ...]:
    """The targets by which of the sentence's numbers they are."""
    return tuple(None if span == SENDER else ranks[span[0]] for span in spans)


def _targets(
    text: str, clause: Clause, phrases: Sequence[Token], known: Mapping[int, tuple[Span, ...]]
) -> tuple[tuple[Span, ...], bool]:
    """A clause's targets, and whether it marks them itself; else those it inherits, else the sender."""
    own = _own_targets(text, clause, phrases)
    if own is not None:
        return own, bool(own)
    before = clause.inherits_from
    if before is None or _is_new(text, clause):
        return (SENDER,), False
    inherited = known.get(id(before))
    return (_targets(text, before, phrases, known)[0] if inherited is None else inherited), clause.overrides


def _own_targets(text: str, clause: Clause, phrases: Sequence[Token]) -> tuple[Span, ...] | None:
    """The targets that a clause marks: None where it marks none, empty where they can't be named."""
    if clause.decider is None:
        names = any(token.kind in ("group", "for_whom") for token in clause.tokens)
        return targets_of_part(text, clause.tokens, clause.tokens[-1], phrases) if names else None
    own = targets_of_part(text, clause.tokens, clause.decider, phrases)
    return (SENDER,) if own is None and text.startswith("let", clause.decider.start) else own


def _is_new(text: str, clause: Clause) -> bool:
    """Whether a proposal is the sender's though another was spoken of: "7 is blocked for Agent 3, so 6 it is"."""
    if clause.claim_class != "proposal" or clause.decider is None:
        return False
    return OPENS.match(text, clause.decider.start) is not None


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without the space and punctuation at its ends."""
    inner = text[start:end]
    kept = inner.strip(EDGES)
    left = start + inner.find(kept)
    closes = kept.count("(") > kept.count(")") and text.startswith(")", left + len(kept))
    return left, left + len(kept) + closes


def numbered(
    forms: Sequence[StatementForm], numbers: Sequence[Number], places: Places, room: int, num_slots: int | None
) -> tuple[Iterable[Statement], int]:
    """The statements of a passage that starts at a place, with its numbers; and of the claims that there is room for,
    how many are left."""
    stated: list[Statement] = []
    for _, targets, slots, claim_class, start, end, _ in forms:
        whom = targets if targets == ALONE else _agents(targets, numbers)
        begin, stop = places(start, end)
        named = slots_of(slots, numbers, num_slots)
        room -= len(whom) * len(named)
        if room < 0:
            break
        stated.append((whom, named, claim_class, begin, stop))
    return (stated if len(forms) == len(stated) == 1 and stated[0][1] else _settled(forms, stated)), room


def rest_of(
    forms: Sequence[StatementForm], numbers: Sequence[Number], places: Places, before: Sequence[Number]
) -> Iterator[Statement]:
    """What is stated of the rest of the calendar, with slots that are no part of it; `before`: the numbers so far.

    "Only 7" is one of some slots where 7 was named before: "Agent 1 can do 4 and 7, I can only do 7".
    """
    for form in forms:
        again = any(_is_in(numbers[i], (*before, *numbers[:i])) for i, last in form.slots if last == ONLY_REST)
        if not again and any(last in (REST, ONLY_REST) for _, last in form.slots):
            begin, stop = places(form.start, form.end)
            excepted = [slot for i, last in form.slots if last == EXCEPTED for slot in starts_of(numbers[i])]
            yield _agents(form.targets, numbers), excepted, form.claim_class, begin, stop


def _is_in(number: Number, before: Iterable[Number]) -> bool:
    """Whether a number, or one of a list, stood before."""
    return not {value for one in before for value in each(one)}.isdisjoint(starts_of(number))


def with_rest(stated: list[Statement], rest: Sequence[Statement], num_slots: int) -> list[Statement]:
    """The statements, with those of the rest of the calendar: of its slots of which no other says anything."""
    covered = {(target, slot) for targets, slots, *_ in stated for target in targets for slot in slots}
    for targets, excepted, claim_class, start, end in rest:
        for target in targets:
            slots = [slot for slot in range(num_slots) if (target, slot) not in covered and slot not in excepted]
            covered.update((target, slot) for slot in slots)
            stated.append(((target,), slots, claim_class, start, end))
    return [statement for statement in sorted(stated, key=lambda statement: statement[4]) if statement[1]]


def is_of_sender(stated: Sequence[Statement], before: str) -> bool:
    """Whether what was said is of the sender's own calendar and all of it, so that "everything else" is its rest."""
    states = any(kind != "proposal" for _, _, kind, _, _ in stated)
    return states and all(targets == ALONE for targets, *_ in stated) and not NARROWED.search(before)


def _agents(named: Sequence[int | None], numbers: Sequence[Number]) -> Sequence[int | None]:
    """The agents that are named, each once."""
    agents = [one for agent in named for one in ((None,) if agent is None else each(numbers[agent]))]
    return agents if len(agents) == 1 else list(dict.fromkeys(agents))


def _settled(forms: Sequence[StatementForm], stated: Sequence[Statement]) -> Iterable[Statement]:
    """What holds of several statements: in a scope, of those about one slot of an agent, the one of lowest rank."""
    best: dict[tuple[int, int | None, int], tuple[int, Statement]] = {}
    for (scope, *_, rank), (targets, slots, claim_class, start, end) in zip(forms, stated, strict=False):
        for slot in slots:
            for target in targets:
                held = best.get((scope, target, slot))
                if held is None or rank < held[0]:
                    best[scope, target, slot] = rank, ((target,), (slot,), claim_class, start, end)
    return (statement for _, statement in best.values())
