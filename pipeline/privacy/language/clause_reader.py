"""What is kept while a sentence's atoms are read into clauses, and what the rules of clause_rules.py do with it.

A clause has slots, one class and its targets. It grows while it lacks slots or a class; what follows starts another.
"""

from dataclasses import replace

from pipeline.privacy.language.atoms import RELATIVE, Atom
from pipeline.privacy.language.clauses import (
    NO_CLAUSE,
    Clause,
    goes_on,
    is_from_all,
    is_news,
    is_of_last_alone,
    is_of_others,
    is_of_them,
    leaves_rest,
    marks_of,
    prices,
    rest_of,
    wins,
)
from pipeline.privacy.language.frames import AMONG, GOES_ON, IT_IS, MOVED_IT, NOTHING, PAST, REPORTS
from pipeline.privacy.language.ranges import EXCEPTED, REST
from pipeline.privacy.language.scan import Token
from pipeline.privacy.language.targets import OPPOSITE, PRIORITY, is_named, named


def _says_more(before: Clause, atom: Atom) -> bool:
    """Whether a class comes before that of an atom: "free (no cost): 2"."""
    old, new = before.claim_class or "", atom.claim_class or ""
    return old in OPPOSITE and (old != "occupied" or new == "cost") and PRIORITY.index(old) <= PRIORITY.index(new)


class ClauseReader:
    """The clauses of a sentence so far, and the one that may still grow; `before` is what was said before it."""

    def __init__(self, text: str, before: str | None = None) -> None:
        self.text = text
        self.clauses: list[Clause] = []
        self.open = NO_CLAUSE
        self.previous = Clause(-1, 0, 0, claim_class=before)  # the last with slots and class, or with what was said
        self.exception: Atom | None = None  # slots that were excepted before anything was said
        self.excepted: Atom | None = None  # those of which something else was said: "except 3, which is busy"
        self.past = NO_CLAUSE  # what was said, before a "but", of how things were
        self.subject: list[Token] = []  # who was named before what is said: "Agent 2: …"
        self.met: list[Token] = []  # the subject of the atom before, who may say more: "… and said 5 is out"
        self.scope = 0

    @property
    def antecedent(self) -> Clause:
        """The clause that one without a class leans on."""
        return self.previous if self.previous.claim_class else self.open

    @property
    def last(self) -> Clause:
        """The clause that has slots and was read last."""
        return self.open if self.open.slots else self.previous

    def end_scope(self) -> None:
        """What follows stands on its own."""
        self.scope += 1
        self.past = self.last if PAST.search(self.text, self.last.start, self.last.end) else NO_CLAUSE
        self.previous = self.antecedent
        report = self.open if REPORTS.search(self.text, self.open.start, self.open.end) else NO_CLAUSE
        self.open, self.subject = NO_CLAUSE, [t for t in report.tokens if report.lacks_class and t.kind == "group"][:1]

    def meet(self, atom: Atom) -> None:
        """Keep who an atom is about, for one that starts with a verb of saying: "Agent 3 is back and said 5 is out"."""
        if (marks := marks_of(atom)) or not GOES_ON.match(f"{atom.lead[-3:]} {self.text[atom.start : atom.end]}"):
            starts = marks and marks[0].kind == "group" and not self.text[atom.start : marks[0].start].strip()
            self.met = [mark for mark in marks if mark.kind == "group"][-1:] if starts else []
        elif self.met:
            self.subject = self.met

    def clause_of(self, atom: Atom, claim_class: str | None) -> Clause:
        """An atom as a clause of this class."""
        return Clause(self.scope, atom.start, atom.end, list(atom.tokens), list(atom.slots), claim_class, atom.decider)

    def keep_silent(self, atom: Atom) -> None:
        """Keep slots of a question or condition, in case that something points back to them."""
        slots = list(atom.slots or atom.aside)
        self.open = Clause(self.scope, atom.start, atom.end, slots=slots, claim_class="positive", silent=True)

    def pass_over(self, atom: Atom) -> None:
        """Take nothing from a question or condition; slots that only it says something of are no part of a list."""
        unsaid = self.open.lacks_class and atom.boundary == "hypothetical"
        if unsaid and "," not in self.text[self.open.slots[-1].end : atom.start]:
            self.open.apart = True

    def await_class(self, atom: Atom) -> None:
        """Keep slots of which nothing is said yet; of "not 3, 5 works" what follows is not said of 3."""
        self.open, kept = self.clause_of(atom, None), atom.lead.endswith("not") or atom.has("shun")
        self.open.apart = kept or AMONG.match(self.text, atom.start) is not None

    def await_main_clause(self, atom: Atom) -> None:
        """Keep slots that are excepted from what is still to be said."""
        self.exception = atom

    def await_slots(self, atom: Atom) -> None:
        """Keep what is said of slots to come; of what stands in brackets after it only what says more."""
        if atom.lead == "(" and self.open.lacks_slots and not self.open.silent and _says_more(self.open, atom):
            return
        clause = self.clause_of(atom, atom.claim_class)
        self._add_subject(clause)
        if not self.subject and self.text.startswith(":", atom.end):
            self.subject = marks_of(atom)  # of all that is listed: "costs on Agent 2's side: slot 3: 5"
        if self.exception and atom.lead.endswith(RELATIVE):
            self._lean_on(clause)
            return
        if self.excepted:
            self._leave_rest(clause, self.excepted)
        if self.exception and self.exception.slots and clause.claim_class in OPPOSITE:
            self._leave_rest(clause, self.exception)
            self._add_exception(clause)
        self.open = clause

    def name_subject(self, atom: Atom) -> None:
        """Keep whom the atom names for what is said next: of a report its source."""
        marks = marks_of(atom)
        reports = marks[0].kind == "group" and REPORTS.search(self.text, atom.start, atom.end)
        self.subject = [token for token in marks if token.kind == "group"] if reports else marks

    def add_whom(self, atom: Atom) -> None:
        """Add for whom the open clause holds."""
        self.open.tokens += marks_of(atom)

    def add_slots(self, atom: Atom) -> None:
        """Add slots to a whole clause."""
        self.open.slots += atom.slots
        self.open.end = atom.end

    def fill_slots(self, atom: Atom) -> None:
        """Give the open clause the slots that it lacks."""
        clause = self.open
        clause.slots, clause.end = list(atom.slots), atom.end
        clause.tokens += atom.tokens
        self._close(clause)

    def fill_class(self, atom: Atom) -> None:
        """Give the open clause the class that it lacks."""
        clause = self.open
        clause.claim_class, clause.decider, clause.end = atom.claim_class, atom.decider, atom.end
        clause.tokens += atom.tokens
        if is_of_last_alone(self.text, clause, atom):
            clause.slots = clause.slots[-1:]
        self._add_subject(clause)
        if self.previous.claims and self.previous.scope == clause.scope:
            clause.inherits_from = self.previous
        self._close(clause)

    def add_whole(self, atom: Atom) -> None:
        """Add an atom that has slots and a class."""
        self._add_whole(atom, self.clause_of(atom, atom.claim_class))

    def add_with_slots_before(self, atom: Atom) -> None:
        """Add an atom that has slots and a class, and the slots that stand before it."""
        before, clause = self.open, self.clause_of(atom, atom.claim_class)
        clause.slots, clause.tokens = before.slots + clause.slots, before.tokens + clause.tokens
        clause.start = before.start
        self._add_whole(atom, clause)

    def add_with_class_before(self, atom: Atom) -> None:
        """Add an atom that has slots and a class, with the subject before it, and what was said there if it counts."""
        before, clause = self.open, self.clause_of(atom, atom.claim_class)
        subject = [token for token in before.tokens if token.kind == "group" and is_named(self.text, token)]
        clause.tokens = subject + clause.tokens
        if wins(self.text, before, clause, atom):
            clause.claim_class, clause.decider, clause.start = before.claim_class, before.decider, before.start
        self._add_whole(atom, clause)

    def repeat(self, atom: Atom) -> None:
        """Say of other slots what the open clause says."""
        self._lean(atom, self.open.claim_class, self.open)

    def repeat_previous(self, atom: Atom) -> None:
        """Say of other slots what the last whole clause says."""
        self._lean(atom, self.previous.claim_class, self.previous)

    def leave_out(self, atom: Atom) -> None:
        """Keep slots that are excepted from all, of which nothing is said yet: "flexible all day except 3"."""
        if atom.boundary == "except" and self.open.slots and self.open.slots[0].open == REST:
            self.open.slots += [slot._replace(open=EXCEPTED) for slot in atom.slots]
            self.await_class(atom)

    def agree(self, atom: Atom) -> None:
        """Say of other slots what was said, whatever else is said of them."""
        self._lean(atom, self.antecedent.claim_class, self.antecedent, overrides=True)

    def contrast(self, atom: Atom) -> None:
        """Say of other slots the opposite of what was said."""
        if self.open.lacks_slots and (leaves_rest(self.text, atom) or is_from_all(self.text, self.open, atom)):
            self.open.slots = [rest_of(self.text, atom)]
            self._close(self.open)
        self._lean(atom, OPPOSITE[self.antecedent.claim_class or ""], self.antecedent, overrides=True)

    def except_inside(self, atom: Atom) -> None:
        """Take slots out before what is said of the others: "slots 2-9 except 4 are free"."""
        main = self.clause_of(atom, atom.claim_class)
        if self.open.lacks_class:
            main = self.open
            self.fill_class(atom)
        if main is not self.open and leaves_rest(self.text, atom):
            main.slots = [rest_of(self.text, atom)]
            self._add_whole(atom, main)
        but_these = NOTHING.search(self.text, 0, atom.start) is not None
        claim_class = atom.claim_class if but_these else OPPOSITE.get(atom.claim_class or "")
        if claim_class and atom.slots:
            self._lean(atom, claim_class, main, overrides=True)

    def point_back(self, atom: Atom) -> None:
        """Say of the open clause's slots what an atom without slots says, if it means them."""
        self._point_back(atom, atom.claim_class)

    def echo(self, atom: Atom) -> None:
        """Say it of another agent: "so is Agent 2"."""
        self._point_back(atom, self.open.claim_class)

    def deny(self, atom: Atom) -> None:
        """Say of another agent that it isn't so: "Agent 2 can't"; or that it is, of what was denied."""
        if self.last.claim_class in ("positive", "negative"):
            claim_class = "positive" if self.affirms(atom) else "negative"
            self.open = self.last
            self._point_back(atom, claim_class, surely=True)

    def affirms(self, atom: Atom) -> bool:
        """Whether what was denied of one is so of another."""
        denied = self.last.claim_class == "negative" and not (self.last.silent or atom.slots or atom.claim_class)
        return denied and IT_IS.match(self.text[: atom.end], atom.start) is not None

    def revise(self, atom: Atom) -> None:
        """Say what slots now are, in place of what they were, or where what they held was moved."""
        if self.past.claim_class == "occupied" and MOVED_IT.search(self.text, atom.start, atom.end):
            moved = replace(self.clause_of(atom, "occupied"), slots=[slot._replace(goal=False) for slot in atom.slots])
            self.clauses += [moved] if moved.slots else []
            self.past.silent = True
            return
        claim_class = atom.claim_class or OPPOSITE.get(self.past.claim_class or "")
        if claim_class:
            now = replace(self.past, claim_class=claim_class, end=atom.end, decider=atom.decider or self.past.decider)
            self.clauses.append(now)
            self.past.silent, self.open = True, now

    def _point_back(self, atom: Atom, claim_class: str | None, surely: bool = False) -> None:
        before, marks = self.last if marks_of(atom) else self.open, marks_of(atom)
        assumed = before.overrides and before.decider is None  # the opposite of what else was said
        if claim_class is None or not before.slots or (before.silent and not marks):
            return
        if is_of_others(self.text, before, atom) or not (surely or is_of_them(self.text, before, atom, claim_class)):
            return
        clause = replace(before, claim_class=claim_class, end=atom.end, tokens=list(atom.tokens), decider=atom.decider)
        if claim_class != "cost" and is_of_last_alone(self.text, before, atom):
            clause.slots = clause.slots[-1:]
        clause.overrides = is_news(self.text, atom) or prices(before, claim_class) or assumed
        before.silent = before.silent or (assumed and (not marks or atom.lead.endswith(RELATIVE)))
        clause.silent, clause.inherits_from = False, None if marks else before
        self.clauses.append(clause)
        if marks and marks[0].kind == "group":
            self.previous = clause

    def _lean_on(self, clause: Clause) -> None:
        """Say of the slots that are excepted what is said of them alone: "except slot 3, which is busy, …"."""
        self.excepted, self.exception = self.exception, None
        if self.excepted:
            clause.slots, clause.start, clause.overrides = list(self.excepted.slots), self.excepted.start, True
            self.clauses.append(clause)

    def _lean(self, atom: Atom, claim_class: str | None, antecedent: Clause, overrides: bool = False) -> None:
        """Add a clause that leaves its class out, in the scope of the one that has it."""
        clause = self.clause_of(atom, claim_class)
        self._add_subject(clause)
        clause.scope, clause.overrides, clause.inherits_from = antecedent.scope, overrides, antecedent
        self.clauses.append(clause)
        self.open = clause

    def _add_whole(self, atom: Atom, clause: Clause) -> None:
        self._add_subject(clause)
        clause.overrides = is_news(self.text, atom)
        clause.inherits_from = self.previous if goes_on(self.text, self.previous, clause) else None
        self._close(clause)

    def _close(self, clause: Clause) -> None:
        """Make it a whole clause, and the opposite hold of slots that were excepted from it."""
        self.open = self.previous = clause
        self.clauses.append(clause)
        self._add_exception(clause)

    def _add_exception(self, clause: Clause) -> None:
        exception, self.exception = self.exception, None
        opposite = OPPOSITE.get(clause.claim_class or "")
        if exception and exception.slots and opposite:
            self._lean(exception, opposite, clause, overrides=True)

    def _leave_rest(self, clause: Clause, exception: Atom) -> None:
        """Say of all slots but the excepted ones what names none: "except slot 3, I'm free"."""
        if is_from_all(self.text[exception.start :], clause, replace(exception, start=0)):
            clause.slots = [rest_of(self.text, exception)]
            self.clauses.append(clause)

    def _add_subject(self, clause: Clause) -> None:
        own = any(token.kind in ("group", "for_whom") for token in clause.tokens)
        if self.subject and not (own and self.subject[0].kind == "for_whom"):
            clause.tokens = self.subject + clause.tokens
            clause.start = min(clause.start, self.subject[0].start)
            theirs = clause.tokens[len(self.subject) :]
            if own and any(named(self.text[token.start : token.end]).agents for token in theirs):
                self.subject = []  # what follows is of the agent that is named here
