"""The constants of VPS and its rule sets, as data (Appendix H.1, H.2, H.4)."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class RuleSet:
    """How strongly a message moves a belief, and to what: Table 10."""

    name: str
    proposed: float = 0.85  # evidence of an SD proposal
    score_levels: int = 12  # DSM satisfaction levels, 0 to 11
    typed_strength: float = 1.0
    strengths: Mapping[str, float] = field(default_factory=dict)  # by source, where not typed_strength


RULES = {
    "paper": RuleSet("paper"),
    "release": RuleSet("release", strengths={"sd_propose": 0.70, "sd_propose_reschedule": 0.70}),
}


@dataclass(frozen=True)
class Weighing:
    """What a belief starts from and what a slot weighs."""

    prior: float = 0.5
    weight_cap: float = 32.0
