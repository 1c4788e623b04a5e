"""Atoms joined to parts: each part has slots, one class and its targets, so "free at 3, busy at 5" has two.

A part grows while it lacks slots or a class; what follows a whole part starts another.
"""

from dataclasses import dataclass, field, replace

from pipeline.language import pointing
from pipeline.language.atoms import RELATIVE, Atom
from pipeline.language.classes import PRIORITY
from pipeline.language.scan import Token
from pipeline.language.slots import Slots
from pipeline.language.targets import is_named

OPPOSITE = {"positive": "negative", "negative": "positive", "occupied": "positive"}
JOINED = frozenset((",", "and", ", and"))
ACCEPTS = ("work", "suit", "fit")  # "works for me, let's do slot 4"
LISTED = ("and", "or", ", and", ", or")
LABELS = (":", "~", "-", "(", "->", "=>", "|")


@dataclass(slots=True)
class Part:
    """Atoms that belong together."""

    clause: int
    start: int
    end: int
    tokens: list[Token] = field(default_factory=list)
    slots: list[Slots] = field(default_factory=list)
    said: str | None = None
    decider: Token | None = None
    overrides: bool = False
    silent: bool = False
    heir: bool = False  # of the targets of the part before
    of: "Part | None" = None


class Reader:
    """Takes a sentence's atoms one by one and keeps the part that may still grow."""

    def __init__(self, text: str, before: str | None) -> None:
        self.text = text
        self.parts: list[Part] = []
        self.open: Part | None = None
        self.last: Part | None = Part(-1, 0, 0, said=before) if before else None
        self.excepted: Atom | None = None
        self.subject: list[Token] = []
        self.clause = 0

    def take(self, atom: Atom, following: Atom | None) -> None:
        """Join an atom to the open part, or start another."""
        if atom.boundary in ("hard", "stop"):
            self.clause += 1
            self.last = self.last or (self.open if self.open and self.open.said else None)
            self.open, self.subject = None, []
        if atom.mode != "statement" or (atom.aside and not atom.slots):
            self._keep_silent(atom)
        elif atom.boundary == "except" or self._is_left_over(atom):
            self._turn(atom)
        elif atom.echoes and atom.slots and self.last:
            self._start(atom, self.last.said or "", self.last, overrides=False)
        elif atom.echoes:
            self._point_back(atom, self.open.said if self.open else None)
        elif self.open and self.open.said and pointing.IT_IS_NOT.search(self.text, atom.start, atom.end):
            self._point_back(atom, "negative" if self.open.said == "positive" else None, back=True)
        elif atom.claim_class and atom.slots:
            self._take_whole(atom)
        elif atom.claim_class:
            self._take_class(atom)
        elif atom.slots:
            self._take_slots(atom, following)
        else:
            self._take_rest(atom, following)

    def _keep_silent(self, atom: Atom) -> None:
        """Questions and conditions claim nothing, but "where Agent 1 and I are free" may point back to their slots."""
        slots = atom.slots or atom.aside
        if slots:
            self.open = Part(self.clause, atom.start, atom.end, slots=list(slots), silent=True, said="positive")

    def _is_left_over(self, atom: Atom) -> bool:
        if atom.claim_class or not atom.slots or not (self.last or (self.open and self.open.said)):
            return False
        rest = self.text[atom.slots[-1].to_end if atom.slots[-1].to_end > 0 else atom.slots[-1].end : atom.end]
        before = self.last or self.open
        if pointing.ONLY.match(self.text, atom.start) and before and before.said == "negative":
            return True
        return atom.lead.endswith("not") or atom.has("negation") or pointing.IS_SO.fullmatch(rest) is not None

    def _turn(self, atom: Atom) -> None:
        """The opposite of what was said before in the sentence: "7 is not", "except 7"."""
        if atom.boundary == "except" and atom.claim_class:
            self._except_inside(atom)
            return
        before = self.last if self.last and self.last.said else self.open
        if before is None or before.said is None:
            self.excepted = atom if atom.boundary == "except" else None
            return
        if pointing.AGREES.search(self.text, atom.start, atom.end) and atom.slots and not before.silent:
            self._start(atom, before.said, before)
            return
        yes = not (atom.boundary == "except" or atom.lead.endswith("not") or atom.has("negation"))
        said = OPPOSITE.get(before.said)
        if said and not before.silent and atom.slots and not (yes and said == "negative"):
            self._start(atom, said, before)

    def _except_inside(self, atom: Atom) -> None:
        """Slots taken out before the class is said: "slots 2-9 except 4 are free"."""
        main = self.open if self.open and self.open.slots and self.open.said is None else None
        if main:
            self._complete(main, atom)
        all_but = pointing.NOTHING.search(self.text, 0, atom.start) is not None
        said = atom.claim_class if all_but else OPPOSITE.get(atom.claim_class or "")
        if said and atom.slots:
            self._start(atom, said, main or self._made(atom, atom.claim_class))

    def _start(self, atom: Atom, said: str, before: Part, overrides: bool = True) -> None:
        """A part that leaves its class out, in the clause of the part that has it: "except 7" holds against "3-9"."""
        part = self._made(atom, said)
        part.clause, part.overrides = before.clause, overrides
        part.of, part.heir = before, True
        self.parts.append(part)
        self.open = part

    def _take_whole(self, atom: Atom) -> None:
        cut = self.open
        part = self._made(atom, atom.claim_class)
        if cut and not cut.silent and cut.said is None and self._is_joined(cut, atom):
            part.slots, part.tokens, part.start = cut.slots + part.slots, cut.tokens + part.tokens, cut.start
        elif cut and not cut.slots and not cut.silent:
            part.tokens = [t for t in cut.tokens if is_named(self.text, t) and t.kind == "group"] + part.tokens
            self._rank(cut, part, atom)
        self._add_subject(part)
        part.overrides = self._is_news(atom)
        part.heir = self._continues(atom)
        part.of = self.last
        self._open(part)

    def _rank(self, cut: Part, part: Part, atom: Atom) -> None:
        """Of two classes about one slot the first in order: "free and flexible at 3"."""
        shared = atom.lead == "and" and cut.said != "occupied" and not atom.has("group")
        accepts = cut.decider is not None and self.text.startswith(ACCEPTS, cut.decider.start)
        shared = shared or (atom.lead == "," and accepts and part.said == "proposal")
        if (
            cut.said
            and part.said
            and (shared or atom.lead == ")")
            and PRIORITY.index(cut.said) < PRIORITY.index(part.said)
        ):
            part.said, part.decider, part.start = cut.said, cut.decider, cut.start

    def _made(self, atom: Atom, said: str | None) -> Part:
        return Part(self.clause, atom.start, atom.end, list(atom.tokens), list(atom.slots), said, atom.decider)

    def _is_news(self, atom: Atom) -> bool:
        """Whether it holds from now on, whatever stood there: "…, so it is now free"."""
        if atom.claim_class != "positive":
            return False
        left = atom.lead.endswith("so") and pointing.MOVED.search(self.text, 0, atom.start) is not None
        return left or pointing.NEWS.search(self.text, atom.start, atom.end) is not None

    def _is_joined(self, part: Part, atom: Atom) -> bool:
        glued = pointing.GLUE.fullmatch(self.text, part.slots[-1].end, atom.slots[0].start)
        return glued is not None or atom.lead in JOINED

    def _continues(self, atom: Atom) -> bool:
        """Whether a part without a marked target goes on about the last one's."""
        if self.last is None or self.last.silent:
            return False
        if self.last.clause == self.clause:
            return True
        led = atom.decider is not None and atom.decider.start < atom.slots[0].start
        return led or pointing.REPORTS.search(self.text, self.last.start, self.last.end) is not None

    def _open(self, part: Part) -> None:
        self.open = part
        if part.slots and part.said:
            self.parts.append(part)
            self.last = part
            if self.excepted:
                excepted, self.excepted = self.excepted, None
                if part.said in OPPOSITE and excepted.slots:
                    self._start(excepted, OPPOSITE[part.said], part)

    def _take_class(self, atom: Atom) -> None:
        part = self.open
        if part and part.slots and part.said is None:
            self._complete(part, atom)
        elif part and part.slots and atom.lead != "|":
            self._point_back(atom, atom.claim_class)
        else:
            made = self._made(atom, atom.claim_class)
            self._add_subject(made)
            if self.excepted and self.excepted.slots and made.said in OPPOSITE:
                excepted, self.excepted = self.excepted, None
                self._start(excepted, OPPOSITE[made.said], made)
            self.open = made

    def _complete(self, part: Part, atom: Atom) -> None:
        part.said, part.decider, part.end = atom.claim_class, atom.decider, atom.end
        part.tokens += atom.tokens
        alone = atom.lead == "(" and not pointing.ALL.match(self.text, atom.start)
        if alone and len(part.slots) > 1 and "," in self.text[part.slots[-2].end : part.slots[-1].start]:
            part.slots = part.slots[-1:]  # "3, 5 (errand)" says it of 5 alone
        self._add_subject(part)
        part.heir, part.of = self._continues_at(part), self.last
        self._open(part)

    def _continues_at(self, part: Part) -> bool:
        return self.last is not None and not self.last.silent and self.last.clause == part.clause

    def _add_subject(self, part: Part) -> None:
        """The subject that stands before: "According to Agent 3, …", "Agent 2: …"."""
        if self.subject:
            part.tokens = self.subject + part.tokens
            part.start = min(part.start, self.subject[0].start)

    def _point_back(self, atom: Atom, said: str | None, back: bool = False) -> None:
        """A class without slots, after slots: it counts where a word points back to them, or an errand stands there."""
        part = self.open
        if part is None or said is None or not part.slots or atom.has("elsewhere"):
            return
        if pointing.OF_ANOTHER.match(self.text, atom.start) or self._is_of_two(part, atom):
            return
        named = [t for t in atom.tokens if t.kind in ("group", "for_whom")]
        back = back or atom.lead.endswith(RELATIVE) or atom.lead == "(" or atom.echoes
        after = self.text[part.slots[-1].end :].lstrip()
        back = back or (bool(named) and after.startswith(LABELS[:3]))
        back = back or (
            pointing.BARE.fullmatch(self.text, atom.start, atom.end) is not None and part.said == "proposal"
        )
        back = back or (said == "occupied" and not part.silent) or (bool(named) and not atom.has("group"))
        if (part.silent and not named) or not (back or pointing.BACK.search(self.text, atom.start, atom.end)):
            return
        pointed = replace(part, said=said, end=atom.end, tokens=list(atom.tokens), decider=atom.decider)
        effort = part.decider is not None and part.decider.kind == "effort"
        pointed.overrides = self._is_news(atom) or (said == "cost" and effort)
        pointed.silent, pointed.of, pointed.heir = False, part, not named
        self.parts.append(pointed)

    def _is_of_two(self, part: Part, atom: Atom) -> bool:
        """Whether "both" speaks of more slots than the part has."""
        return (
            len(part.slots) == 1
            and part.slots[0].to_start < 0
            and pointing.PAIR.search(self.text, atom.start, atom.end) is not None
        )

    def _take_slots(self, atom: Atom, following: Atom | None) -> None:
        part = self.open
        own = following is not None and following.claim_class is not None and not following.slots
        if part and following and own and following.lead in LABELS and not (atom.lead == ":" and following.lead == "|"):
            part = None
        if part and part.said and not part.slots and not part.silent:
            part.slots, part.end = list(atom.slots), atom.end
            part.tokens += atom.tokens
            self._open(part)
        elif part and part.said and part.slots and not part.silent and pointing.GAPPED.match(self.text, atom.start):
            self._start(atom, part.said, part, overrides=False)
        elif part and part.said == "occupied" and not part.silent and pointing.MEETING_AT.match(self.text, atom.start):
            self._start(atom, "occupied", part, overrides=False)
        elif part and part.said and following and own and atom.lead in LISTED and following.lead.endswith(RELATIVE):
            self._start(atom, part.said, part, overrides=False)
        elif part and part.said and not part.silent and self._only_slots(atom):
            part.slots += atom.slots
            part.end = atom.end
        else:
            self.open = self._made(atom, None)

    def _only_slots(self, atom: Atom) -> bool:
        listed = [t for t in atom.tokens if t.kind in ("slots", "numbers")]
        before, after = listed[0].start, listed[-1].end
        bare = pointing.GLUE.fullmatch(self.text, atom.start, before) and pointing.GLUE.fullmatch(
            self.text, after, atom.end
        )
        return bare is not None and atom.lead in (",", "and", "or", "plus", ", and", ", or", "(", "~")

    def _take_rest(self, atom: Atom, following: Atom | None) -> None:
        """An atom without slots or class may still say of whom: "Agent 2: …", "…, for me"."""
        named = [t for t in atom.tokens if t.kind in ("group", "for_whom")]
        if not named:
            return
        if self.open and self.open.slots and named[0].kind == "for_whom":
            self.open.tokens += named
            return
        labels = following is not None and following.lead in LABELS[:4]
        reports = pointing.REPORTS.search(self.text, atom.start, atom.end) is not None
        if labels or named[0].kind == "for_whom" or reports:
            self.subject = [t for t in named if t.kind == "group"] if reports and named[0].kind == "group" else named
