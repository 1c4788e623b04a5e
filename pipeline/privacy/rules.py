"""The constants of VPS and its rule sets, as data (Appendix H.1, H.2, H.4)."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from pipeline.traces.limits import MAX_NUMBER, require_between

# What a message says of one agent's slot: target, slot, source, evidence, strength, then for English the clause and
# where it starts and ends. A plain tuple, as a study has millions of them.
Claim = tuple[int, int | None, str, float, float, str | None, int | None, int | None]

# The clause of an English claim, where it starts and ends.
Clause = tuple[str | None, int | None, int | None]
NO_CLAUSE: Clause = (None, None, None)

# Slot (None: not one that can be known) and evidence, the belief that the slot is feasible.
SlotEvidence = tuple[int | None, float]
# Claims of one message that have all else in common: target, source, strength, slots with their evidence, clause.
EvidenceRun = tuple[int, str, float, list[SlotEvidence], Clause]

# What an English claim of each class says of a slot (1 feasible, 0 not), and how directly: H.3's table, in its order of
# priority.
ENGLISH = {
    "occupied": (0.25, 0.50),
    "negative": (0.0, 1.0),
    "positive": (1.0, 1.0),
    "cost": (1.0, 0.35),
    "proposal": (1.0, 0.25),
}


def claims_of(runs: Iterable[EvidenceRun]) -> list[Claim]:
    """The claims of the runs, one by one, in their order."""
    return [
        (target, slot, source, evidence, strength, *clause)
        for target, source, strength, slots, clause in runs
        for slot, evidence in slots
    ]


# How English is read, with the version of each reading, which grows when it makes something else of any message:
# H.3's vocabulary completed, H.3's words as printed, and the public benchmark's script (docs/language.md).
ENGLISH_VERSIONS = {"full": 1, "literal": 1, "release": 1}


@dataclass(frozen=True)
class RuleSet:
    """How strongly a message moves a belief, and to what: Table 10, and H.3 for English."""

    name: str
    proposed: float = 0.85  # evidence of an SD proposal
    score_levels: int = 12  # DSM satisfaction levels, 0 to 11
    typed_strength: float = 1.0
    strengths: Mapping[str, float] = field(default_factory=dict)  # by source, where not typed_strength
    epsilon: float = 0.05  # how far an English claim stays from certainty
    english: str = "full"  # the reading, of ENGLISH_VERSIONS

    @cached_property
    def language(self) -> Mapping[str, tuple[str, float, float]]:
        """Source, evidence and strength of a claim by its class in H.3: ε in place of 0, 1 − ε in place of 1."""
        ends = {0.0: self.epsilon, 1.0: 1 - self.epsilon}
        return {
            claim_class: (f"language_{claim_class}", ends.get(value, value), strength)
            for claim_class, (value, strength) in ENGLISH.items()
        }

    @cached_property
    def is_public_script(self) -> bool:
        """Whether messages are read as the public script reads them, typed ones and English."""
        return (self.name, self.english) == (PUBLIC_SCRIPT.name, PUBLIC_SCRIPT.english)

    def typed(self, source: str) -> float:
        """The strength of a typed message by its source."""
        return self.strengths.get(source, self.typed_strength)


RULES = {
    "paper": RuleSet("paper"),
    "release": RuleSet("release", strengths={"sd_propose": 0.70, "sd_propose_reschedule": 0.70}, english="release"),
}
PUBLIC_SCRIPT = RULES["release"]


def chosen_rules(vps: Mapping[str, Any]) -> RuleSet:
    """The rule set of params.yaml's `vps`: its rules, english and epsilon. Raises ValueError for a name of none, and
    an epsilon that is none."""
    known: dict[str, Collection[str]] = {"rules": RULES, "english": ENGLISH_VERSIONS}
    for key, named in known.items():
        if vps[key] not in named:
            raise ValueError(f"params.yaml, vps.{key}: {vps[key]!r} is none of {', '.join(named)}")
    require_between("vps.epsilon", vps["epsilon"], 0, 0.5)
    return replace(RULES[vps["rules"]], epsilon=vps["epsilon"], english=vps["english"])


WEIGHT_FORMS = ("sqrt", "log", "linear")  # of cost weights before their cap: 1 + √cost, 1 + ln(1 + cost), 1 + cost


@dataclass(frozen=True)
class Weighing:
    """What a belief starts from, and what a slot weighs under cost weights (Appendix H.4)."""

    prior: float = 0.5
    weight_form: str = "sqrt"  # one of WEIGHT_FORMS
    weight_cap: float = 32.0

    def __post_init__(self) -> None:
        if self.weight_form not in WEIGHT_FORMS:
            raise ValueError(f"the weight_form is {self.weight_form!r}, which is none of {', '.join(WEIGHT_FORMS)}")
        require_between("the prior", self.prior, 0, 1)
        require_between("the weight_cap", self.weight_cap, 0, MAX_NUMBER)


def chosen_weighing(vps: Mapping[str, Any]) -> Weighing:
    """The weighing of params.yaml's `vps`. Raises ValueError for a number out of its bounds, and an unknown form."""
    return Weighing(vps["prior"], vps["weight_form"], vps["weight_cap"])


SCRIPT_WEIGHING = Weighing()  # the public script's, whatever the study's is
