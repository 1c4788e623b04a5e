"""A clause of a sentence, and how it leans on the one before: pronouns, words left out, and what is news."""

from dataclasses import dataclass, field

from pipeline.privacy.language.atoms import RELATIVE, Atom
from pipeline.privacy.language.frames import (
    ACCEPTS,
    AGREES,
    ALL,
    ALL_BUT,
    BACK,
    BARE,
    BOTH_OF,
    ENDS_LIST,
    EVERY_SLOT,
    GAPPED,
    GLUE,
    IS_SO,
    IT,
    IT_IS_NOT,
    JUST,
    MEETING_AT,
    MOVED,
    NARROWED,
    NEWS,
    NOT_BY,
    OF_ANOTHER,
    OF_SOME,
    ONLY,
    REPORTS,
    THIRD,
)
from pipeline.privacy.language.ranges import ONLY_REST, REST, Slots
from pipeline.privacy.language.scan import Token
from pipeline.privacy.language.slots import LISTS
from pipeline.privacy.language.targets import OPPOSITE, PRIORITY

JOINED = (",", "and", ", and")
LISTED = ("and", "or", ", and", ", or")
GOES_ON = (*LISTED, ",", "plus", "(", "~")
LABEL_STARTS = (":", "~", "-")
SUBJECT_ENDS = (*LABEL_STARTS, "(")
LABELS = (*SUBJECT_ENDS, "->", "=>", "|")


@dataclass(slots=True)
class Clause:
    """Atoms that belong together: slots, what is said of them, and the phrases that tell of whom.

    Within a scope, which ends at "but" and the like, only the first in order of several classes about one slot holds,
    unless a clause overrides the others. A silent one claims nothing and may be pointed back to.
    """

    scope: int
    start: int
    end: int
    tokens: list[Token] = field(default_factory=list)
    slots: list[Slots] = field(default_factory=list)
    claim_class: str | None = None
    decider: Token | None = None
    overrides: bool = False
    silent: bool = False
    apart: bool = False  # no list goes on with it
    inherits_from: "Clause | None" = None  # whose targets are its own where it marks none

    @property
    def lacks_class(self) -> bool:
        """Whether it has slots and awaits what is said of them."""
        return bool(self.slots) and self.claim_class is None

    @property
    def lacks_slots(self) -> bool:
        """Whether it says something and awaits its slots."""
        return self.claim_class is not None and not self.slots

    @property
    def claims(self) -> bool:
        """Whether it says something, and not in a question or condition."""
        return self.claim_class is not None and not self.silent


NO_CLAUSE = Clause(-1, 0, 0)


def marks_of(atom: Atom) -> list[Token]:
    """An atom's phrases that name someone: as its subject, or for whom a slot is so."""
    return [token for token in atom.tokens if token.kind in ("group", "for_whom")]


def leaves_rest(text: str, atom: Atom) -> bool:
    """Whether an exception is one from all slots, and not from those that were named before."""
    every = EVERY_SLOT.fullmatch(text, 0, atom.start) or (ALL_BUT.match(atom.lead) and "slot" not in text[: atom.start])
    return bool(every) and not NARROWED.search(text)


def rest_of(text: str, atom: Atom) -> Slots:
    """The slots that an exception leaves: of the calendar, if it does not say which, where none was named before."""
    if leaves_rest(text, atom) or not atom.slots:
        return Slots(atom.start, atom.start, open=REST)
    return atom.slots[0]._replace(to_start=-1, to_end=-1, open=ONLY_REST)


def is_from_all(text: str, clause: Clause, atom: Atom) -> bool:
    """Whether an exception is one from all that a clause without slots says: "I'm free except 3"."""
    says = clause.lacks_slots and not clause.silent and clause.claim_class in ("positive", "negative")
    return says and bool(atom.slots) and not (NARROWED.search(text) or OF_SOME.search(text, 0, atom.start))


def is_of_others(text: str, before: Clause, atom: Atom) -> bool:
    """Whether an atom names what it speaks of, or more slots than the clause before has: "I can do both"."""
    if atom.has("elsewhere") or OF_ANOTHER.match(text, atom.start):
        return True
    is_one = len(before.slots) == 1 and before.slots[0].to_start < 0
    return is_one and BOTH_OF.search(text, atom.start, atom.end) is not None


def points_back(text: str, before: Clause, last: Clause, atom: Atom) -> bool:
    """Whether an atom's class is of slots named before: in its scope, or as "it" for someone else in another."""
    if atom.claim_class is None or atom.lead in ("|", "/"):
        return False
    is_of_last = bool(last.slots and marks_of(atom)) and IT.search(text, atom.start, atom.end) is not None
    return bool(before.slots) or is_of_last


def is_of_them(text: str, before: Clause, atom: Atom, claim_class: str) -> bool:
    """Whether an atom that says this is of the slots of the clause before."""
    denies_effort = atom.decider is not None and atom.decider.kind == "clear" and atom.lead in (",", ":", "~", ", and")
    if atom.echoes or denies_effort or atom.lead == "(" or atom.lead.endswith(RELATIVE):
        return True
    bare = before.claim_class == "proposal" and BARE.fullmatch(text, atom.start, atom.end)
    if bare or (claim_class == "occupied" and not before.silent) or BACK.search(text, atom.start, atom.end):
        return True
    marks = marks_of(atom)
    if marks and marks[0].kind == "group" and text.startswith("agent", marks[0].start) and claim_class in OPPOSITE:
        return not before.silent and before.claim_class is not None
    return bool(marks) and (_is_label_of(text, before, atom) or atom.lead.endswith(("as", "given")))


def _is_label_of(text: str, before: Clause, atom: Atom) -> bool:
    """Whether whom an atom names is only for whom the slots before it are so: "slot 5: Agent 2 free, Agent 3 busy"."""
    mine = text.startswith(("mine", "theirs"), marks_of(atom)[0].start)
    end = max(before.slots[-1].end, before.slots[-1].to_end)
    return mine or not atom.has("group") or text[end:].lstrip().startswith(LABEL_STARTS)


def is_of_last_alone(text: str, before: Clause, atom: Atom) -> bool:
    """Whether an atom in brackets is of the last slot of a list: "3, 5 (errand)"."""
    if atom.lead != "(" or len(before.slots) < 2 or ALL.search(text, atom.start, atom.end):
        return False
    return "," in text[before.slots[-2].end : before.slots[-1].start]


def goes_on(text: str, before: Clause, clause: Clause) -> bool:
    """Whether a clause that marks no target is about that of the clause before."""
    if not before.claims:
        return False
    if before.scope == clause.scope:
        return True
    led = clause.decider is not None and clause.decider.start < clause.slots[0].start
    return led or REPORTS.search(text, before.start, before.end) is not None


def is_news(text: str, atom: Atom) -> bool:
    """Whether it holds from now on, whatever stood there: "…, so it is now free"."""
    if atom.claim_class != "positive":
        return False
    left = atom.lead.endswith("so") and MOVED.search(text, 0, atom.start) is not None
    return left or (("now" in text or " up" in text) and NEWS.search(text, atom.start, atom.end) is not None)


def prices(before: Clause, claim_class: str) -> bool:
    """Whether a cost is that of making room: "I could clear slot 3, it would cost 5"."""
    return claim_class == "cost" and before.decider is not None and before.decider.kind == "effort"


def wins(text: str, before: Clause, clause: Clause, atom: Atom) -> bool:
    """Whether of a class without slots and one with slots the first holds: "free and flexible at 3"."""
    if before.claim_class is None or clause.claim_class is None:
        return False
    if PRIORITY.index(before.claim_class) >= PRIORITY.index(clause.claim_class):
        return False
    if atom.lead == "and":
        return before.claim_class not in ("occupied", "negative") and not atom.has("group")
    accepts = before.decider is not None and text.startswith(ACCEPTS, before.decider.start)
    return atom.lead == ")" or (atom.lead == "," and accepts and clause.claim_class == "proposal")


def claims_nothing(atom: Atom) -> bool:
    """Whether an atom asks, supposes, or only puts slots aside."""
    return atom.mode != "statement" or bool(atom.aside and not atom.slots)


def is_whole(atom: Atom) -> bool:
    """Whether an atom has slots and a class."""
    return atom.claim_class is not None and bool(atom.slots)


def leans(text: str, before: Clause, atom: Atom) -> bool:
    """Whether an atom leaves out that what was said holds of its slots, or doesn't: "except 7", "7 is not"."""
    if atom.boundary == "except":
        return True
    if atom.echoes or atom.claim_class or not atom.slots or before.claim_class is None:
        return False
    if before.claim_class == "negative" and ONLY.match(text, atom.start):
        return True
    end = max(atom.slots[-1].end, atom.slots[-1].to_end)
    return _denies(atom) or IS_SO.fullmatch(text, end, atom.end) is not None


def _denies(atom: Atom) -> bool:
    return atom.lead.endswith("not") or atom.has("negation")


def agrees(text: str, before: Clause, atom: Atom) -> bool:
    """Whether what was said holds of an atom's slots, too: "5 isn't either"."""
    leant = not before.silent and bool(atom.slots) and leans(text, before, atom)
    return leant and AGREES.search(text, atom.start, atom.end) is not None


def contrasts(text: str, before: Clause, atom: Atom) -> bool:
    """Whether the opposite holds of an atom's slots: "except 7", "7 is not", and "7 is" after a refusal."""
    opposite = OPPOSITE.get(before.claim_class or "")
    if before.silent or not atom.slots or opposite is None or not leans(text, before, atom):
        return False
    return opposite == "positive" or atom.boundary == "except" or _denies(atom)


def denies_it(text: str, before: Clause, atom: Atom) -> bool:
    """Whether an atom says only that it is not so: "Agent 2 can't", "not by Agent 2"."""
    if before.claim_class is None:
        return False
    if atom.has("for_whom") and not (atom.claim_class or atom.slots) and NOT_BY.match(text, atom.start):
        return True
    return IT_IS_NOT.search(text, atom.start, atom.end) is not None


def shares_class(text: str, before: Clause, atom: Atom) -> bool:
    """Whether what an atom says of its slots is said of those before it, too: "slot 3, and slot 5 is free"."""
    if not before.lacks_class or before.apart or not is_whole(atom):
        return False
    return atom.lead in JOINED or GLUE.fullmatch(text, before.slots[-1].end, atom.slots[0].start) is not None


def awaits_label(atom: Atom, following: Atom | None) -> bool:
    """Whether what an atom's slots are is said after it: "3: free"."""
    if not atom.slots or following is None or not _is_label(following) or following.lead not in LABELS:
        return False
    return not (atom.lead == ":" and following.lead == "|")


def _is_label(atom: Atom) -> bool:
    return atom.claim_class is not None and not atom.slots


def is_gapped(text: str, before: Clause, atom: Atom) -> bool:
    """Whether an atom names another agent and its slots, and nothing else."""
    return before.claims and bool(atom.slots) and GAPPED.match(text, atom.start) is not None


def is_next_meeting(text: str, before: Clause, atom: Atom) -> bool:
    """Whether another meeting takes up another slot."""
    held = before.claim_class in ("occupied", "proposal") and not before.silent
    return held and bool(atom.slots) and MEETING_AT.match(text, atom.start) is not None


def is_described(before: Clause, atom: Atom, following: Atom | None) -> bool:
    """Whether slots go on a list, and what follows says more of them: "free at 3 and 5, which is cheap"."""
    if before.claim_class is None or not atom.slots or following is None or not _is_label(following):
        return False
    return atom.lead in LISTED and following.lead.endswith(RELATIVE)


def goes_on_list(text: str, before: Clause, atom: Atom) -> bool:
    """Whether an atom is slots and nothing else: "slot 3 is free, 5, 7"."""
    led = before.decider is not None and bool(before.slots) and before.decider.start < before.slots[0].start
    lead = atom.lead.removeprefix(") ") if led else atom.lead  # "errands: 4 (cost 3), 5"
    if not before.claims or not atom.slots or lead not in GOES_ON:
        return False
    listed = [token for token in atom.tokens if token.kind in LISTS]
    starts = GLUE.fullmatch(text, atom.start, listed[0].start) is not None
    return starts and ENDS_LIST.fullmatch(text, listed[-1].end, atom.end) is not None


def tells_for_whom(text: str, before: Clause, atom: Atom) -> bool:
    """Whether an atom adds for whom the slots before it are so."""
    marks = marks_of(atom) if before.slots else []
    return bool(marks) and marks[0].kind == "for_whom" and JUST.fullmatch(text, atom.start, marks[0].start) is not None


def names_subject(text: str, atom: Atom, following: Atom | None) -> bool:
    """Whether an atom names whom the next one is about: "Agent 2: …", "according to Agent 3, …"."""
    marks = marks_of(atom)
    if not marks:
        return False
    if marks[0].kind == "for_whom" or (following is not None and following.lead in SUBJECT_ENDS):
        return True
    alone = text[atom.start : atom.end].strip() == text[marks[0].start : marks[0].end].strip()
    says = following is not None and following.lead == "," and bool(following.slots or following.claim_class)
    if alone and following is not None and following.lead in (",", "not") and not says:
        return not marks_of(following)  # "Agent 2, on the other hand, …", "Agent 3 not 5"
    if alone and following is not None and following.lead in (",", ")") and THIRD.match(text, following.start):
        return not marks_of(following)  # "two of us, Agent 2 and Agent 3, are …"
    return REPORTS.search(text, atom.start, atom.end) is not None
