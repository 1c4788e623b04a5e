"""How a sentence's atoms become clauses: an ordered table of rules, of which the first that applies acts.

Each rule has an example, which tests read: a message, and what it claims if Agent 9 sends it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pipeline.privacy.language.atoms import ENDS_SCOPE, Atom
from pipeline.privacy.language.clause_reader import ClauseReader
from pipeline.privacy.language.clauses import (
    Clause,
    agrees,
    awaits_label,
    claims_nothing,
    contrasts,
    denies_it,
    goes_on_list,
    is_described,
    is_gapped,
    is_next_meeting,
    is_whole,
    leans,
    marks_of,
    names_subject,
    points_back,
    shares_class,
    tells_for_whom,
)
from pipeline.privacy.language.frames import IT_IS_NOT, MOVED_IT, NOW, PAST

Following = Atom | None


@dataclass(frozen=True)
class Rule:
    """What becomes of an atom, and when: `applies` is asked with the atom that follows. The example is its test."""

    name: str
    applies: Callable[[ClauseReader, Atom, Following], bool]
    act: Callable[[ClauseReader, Atom], None]
    example: str
    claims: str


def read_clauses(text: str, atoms: Sequence[Atom], before: str | None) -> list[Clause]:
    """The clauses of a sentence; `before` is the class that was said just before it."""
    reader = ClauseReader(text, before)
    for atom, following in zip(atoms, (*atoms[1:], None), strict=True):
        take(reader, atom, following)
    return reader.clauses


def take(reader: ClauseReader, atom: Atom, following: Following) -> Rule:
    """Do with an atom what the first rule says that applies, and return that rule."""
    if (atom.boundary in ENDS_SCOPE and not _concedes(reader, atom)) or _has_passed(reader.text, reader.last, atom):
        reader.end_scope()
    reader.meet(atom)
    for rule in RULES:
        if rule.applies(reader, atom, following):
            rule.act(reader, atom)
            return rule
    raise AssertionError("the last rule applies always")


def _concedes(reader: ClauseReader, atom: Atom) -> bool:
    """Whether what was said of slots before a "but" is nothing, and an atom says what they are: "early but fine"."""
    bare = not (atom.slots or marks_of(atom)) and atom.mode == "statement"
    return bare and atom.claim_class is not None and reader.open.lacks_class and atom.lead in ("but", ", but", "yet")


def _ignore(reader: ClauseReader, atom: Atom) -> None:
    """Take nothing from an atom."""


def _has_passed(text: str, before: Clause, atom: Atom) -> bool:
    """Whether an atom says only what is now so, after what was: "slot 3: was free, now busy"."""
    is_now = atom.lead == "," and not atom.slots and NOW.match(text, atom.start) is not None
    return is_now and PAST.search(text, before.start, before.end) is not None


def _has_changed(text: str, past: Clause, atom: Atom) -> bool:
    """Whether an atom says what slots now are of which another clause says what they were."""
    if not past.claims:
        return False
    if past.claim_class == "occupied" and MOVED_IT.search(text, atom.start, atom.end):
        return True
    if atom.slots or marks_of(atom):
        return False
    return atom.claim_class is not None or IT_IS_NOT.search(text, atom.start, atom.end) is not None


def _is_priced(text: str, before: Clause, atom: Atom, following: Following) -> bool:
    """Whether slots are those of a class before, and only their price follows: "errands: 4 (cost 3), 5 (cost 9)"."""
    if following is None or following.lead != "(":
        return False
    if before.lacks_slots:
        return following.claim_class != "positive"
    return following.claim_class == "cost" and goes_on_list(text, before, atom)


RULES = (
    Rule(
        "what asks or supposes claims nothing, but its slots may be pointed back to",
        lambda _, atom, __: claims_nothing(atom) and bool(atom.slots or atom.aside),
        ClauseReader.keep_silent,
        "Could you free up 6, where Agent 1 and I are both free?",
        "1 6 positive, 9 6 positive",
    ),
    Rule(
        "what asks or supposes without a slot is passed over",
        lambda _, atom, __: claims_nothing(atom),
        ClauseReader.pass_over,
        "Are you free? I'm free at slot 3",
        "9 3 positive",
    ),
    Rule(
        "what was so has changed",
        lambda reader, atom, _: _has_changed(reader.text, reader.past, atom),
        ClauseReader.revise,
        "Slot 3 was taken but is free again",
        "9 3 positive",
    ),
    Rule(
        "slots are excepted before the class is said",
        lambda _, atom, __: atom.boundary == "except" and atom.claim_class is not None,
        ClauseReader.except_inside,
        "Slots 2-4 except 3 are free",
        "9 2 positive, 9 4 positive, 9 3 negative",
    ),
    Rule(
        "slots are excepted before anything is said",
        lambda reader, atom, _: atom.boundary == "except" and reader.antecedent.claim_class is None,
        ClauseReader.await_main_clause,
        "Except slot 3, I'm free at 2 and 4",
        "9 2 positive, 9 4 positive, 9 3 negative",
    ),
    Rule(
        "of other slots the same holds, too",
        lambda reader, atom, _: agrees(reader.text, reader.antecedent, atom),
        ClauseReader.agree,
        "Slot 3 is not free, slot 5 isn't either",
        "9 3 negative, 9 5 negative",
    ),
    Rule(
        "of other slots the opposite holds",
        lambda reader, atom, _: contrasts(reader.text, reader.antecedent, atom),
        ClauseReader.contrast,
        "Slots 3 and 5 are free, 7 is not",
        "9 3 positive, 9 5 positive, 9 7 negative",
    ),
    Rule(
        "of other slots something has no opposite",
        lambda reader, atom, _: leans(reader.text, reader.antecedent, atom),
        ClauseReader.leave_out,
        "I propose slot 3, not slot 5",
        "9 3 proposal",
    ),
    Rule(
        "the same is so of other slots",
        lambda reader, atom, _: atom.echoes and bool(atom.slots) and reader.previous.claim_class is not None,
        ClauseReader.repeat_previous,
        "Slot 3 is free, and so is slot 5",
        "9 3 positive, 9 5 positive",
    ),
    Rule(
        "the same is so of another agent",
        lambda _, atom, __: atom.echoes,
        ClauseReader.echo,
        "I'm free at slot 3, and so is Agent 2",
        "9 3 positive, 2 3 positive",
    ),
    Rule(
        "the opposite is so of another agent",
        lambda reader, atom, _: denies_it(reader.text, reader.last, atom) or reader.affirms(atom),
        ClauseReader.deny,
        "I can do slot 3, Agent 2 can't",
        "9 3 positive, 2 3 negative",
    ),
    Rule(
        "slots and a class share the class with slots before them",
        lambda reader, atom, _: shares_class(reader.text, reader.open, atom),
        ClauseReader.add_with_slots_before,
        "Slot 3 today, and slot 5 tomorrow are free",
        "9 3 positive, 9 5 positive",
    ),
    Rule(
        "slots and a class follow another class",
        lambda reader, atom, _: is_whole(atom) and reader.open.lacks_slots,
        ClauseReader.add_with_class_before,
        "I'm free and flexible at slot 3",
        "9 3 positive",
    ),
    Rule(
        "slots and a class are a clause",
        lambda _, atom, __: is_whole(atom),
        ClauseReader.add_whole,
        "I'm free at slot 3",
        "9 3 positive",
    ),
    Rule(
        "a class is of the slots before it",
        lambda reader, atom, _: atom.claim_class is not None and reader.open.lacks_class,
        ClauseReader.fill_class,
        "Slot 3: free",
        "9 3 positive",
    ),
    Rule(
        "a class points back to a clause",
        lambda reader, atom, _: points_back(reader.text, reader.open, reader.last, atom),
        ClauseReader.point_back,
        "I propose slot 3, it's free for Agent 2",
        "9 3 proposal, 2 3 positive",
    ),
    Rule(
        "a class awaits its slots",
        lambda _, atom, __: atom.claim_class is not None,
        ClauseReader.await_slots,
        "I'm free: slot 3",
        "9 3 positive",
    ),
    Rule(
        "slots await the label that follows",
        lambda reader, atom, following: (
            awaits_label(atom, following) and not _is_priced(reader.text, reader.open, atom, following)
        ),
        ClauseReader.await_class,
        "Slot 3: free, slot 5: busy",
        "9 3 positive, 9 5 negative",
    ),
    Rule(
        "slots are those of the class before them",
        lambda reader, atom, _: bool(atom.slots) and reader.open.lacks_slots,
        ClauseReader.fill_slots,
        "I'm free, for example at slot 3",
        "9 3 positive",
    ),
    Rule(
        "another agent has other slots",
        lambda reader, atom, _: is_gapped(reader.text, reader.open, atom),
        ClauseReader.repeat,
        "Agent 2 is free at slot 5, Agent 3 at slot 6",
        "2 5 positive, 3 6 positive",
    ),
    Rule(
        "another meeting has another slot",
        lambda reader, atom, _: is_next_meeting(reader.text, reader.open, atom),
        ClauseReader.repeat,
        "I have meeting 1 at slot 3, meeting 2 at slot 5",
        "9 3 occupied, 9 5 occupied",
    ),
    Rule(
        "slots go on a list, and more is said of them",
        lambda reader, atom, following: is_described(reader.open, atom, following),
        ClauseReader.repeat,
        "Slot 3 is busy, and slot 5, where I have an errand",
        "9 3 negative, 9 5 occupied",
    ),
    Rule(
        "slots go on a list",
        lambda reader, atom, _: goes_on_list(reader.text, reader.open, atom),
        ClauseReader.add_slots,
        "Slot 3 works for me, or slot 5",
        "9 3 positive, 9 5 positive",
    ),
    Rule(
        "slots await a class",
        lambda _, atom, __: bool(atom.slots),
        ClauseReader.await_class,
        "Slot 3, I think, is free",
        "9 3 positive",
    ),
    Rule(
        "it is said for whom",
        lambda reader, atom, _: tells_for_whom(reader.text, reader.open, atom),
        ClauseReader.add_whom,
        "Slot 3 is free, for Agent 2",
        "2 3 positive",
    ),
    Rule(
        "it is said of whom",
        lambda reader, atom, following: names_subject(reader.text, atom, following),
        ClauseReader.name_subject,
        "Agent 2: free at slot 3",
        "2 3 positive",
    ),
    Rule(
        "nothing is said",
        lambda _, __, ___: True,
        _ignore,
        "Hello, I'm free at slot 3",
        "9 3 positive",
    ),
)
