"""What params.yaml may hold: each number within its bounds, each name among those that are known."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from msgspec import Meta, Struct, convert

from pipeline.privacy.rules import ENGLISH_VERSIONS, RULES, WEIGHT_FORMS
from pipeline.tables.paths import PAPER_PROTOCOLS, PARAMS
from pipeline.traces.limits import MAX_NUMBER

Count = Annotated[int, Meta(ge=1, le=MAX_NUMBER)]
Share = Annotated[float, Meta(ge=0, le=1)]
Margin = Annotated[float, Meta(ge=0, le=0.5)]
Penalty = Annotated[float, Meta(ge=0, le=MAX_NUMBER)]
Condition = Literal["standard", "blocked", "adversarial"]
Names = Annotated[list[str], Meta(min_length=1)]


class Section(Struct, forbid_unknown_fields=True):
    """A section of params.yaml: all of its fields, and no other."""


class Suite(Section):
    list: str


class Game(Section):
    max_turns_per_round: Count
    decision_retries: Annotated[int, Meta(ge=0, le=MAX_NUMBER)]


class Adversarial(Section):
    adversary: Annotated[int, Meta(ge=0, le=MAX_NUMBER)]
    max_turns_per_round: Count
    dm_cap: Count


class Dsm(Section):
    max_offers: Annotated[int, Meta(ge=0, le=MAX_NUMBER)]


class Vps(Section):
    rules: str
    english: str
    prior: Share
    weight_form: str
    weight_cap: Penalty
    epsilon: Margin


class Patterns(Section):
    nearby_chars: Count
    short_chars: Count
    expensive_cost: Count
    distinct_slots: Count
    cascade_rounds: Count


class Draws(Section):
    resamples: Annotated[int, Meta(ge=2, le=MAX_NUMBER)]
    level: Annotated[float, Meta(ge=0.01, le=0.9999)]
    seed: str


class Comparisons(Section):
    better: dict[str, Literal["higher", "lower"]]
    draws: Count
    alpha: Annotated[float, Meta(ge=0.0001, le=0.5)]
    seed: str


class MixedEffects(Section):
    condition: Condition
    draws: Count
    relabellings: Count
    seed: str


class Robustness(Section):
    condition: Condition
    rules: Names
    english: Names
    priors: Annotated[list[Share], Meta(min_length=1)]
    epsilons: Annotated[list[Margin], Meta(min_length=1)]
    draws: Count
    seed: str


class Excess(Section):
    penalties: Annotated[list[Penalty], Meta(min_length=1)]


class Parameters(Section):
    """The sections of params.yaml. What a style's numbers may be is held where its speakers are made."""

    suite: Suite
    game: Game
    adversarial: Adversarial
    dsm: Dsm
    vps: Vps
    styles: dict[str, dict[str, float]]
    patterns: Patterns
    truth: Draws
    intervals: Draws
    comparisons: Comparisons
    mixed_effects: MixedEffects
    robustness: Robustness
    excess: Excess
    teams: dict[str, Names]

    def __post_init__(self) -> None:
        teams, swept = {*PAPER_PROTOCOLS, *self.styles}, self.robustness
        named: dict[str, tuple[Sequence[str], Collection[str]]] = {
            "vps.rules": ([self.vps.rules], RULES),
            "vps.english": ([self.vps.english], ENGLISH_VERSIONS),
            "vps.weight_form": ([self.vps.weight_form], WEIGHT_FORMS),
            "robustness.rules": (swept.rules, RULES),
            "robustness.english": (swept.english, ENGLISH_VERSIONS),
            **{f"teams.{group}": (names, teams) for group, names in self.teams.items()},
        }
        check_names(named)
        once: dict[str, Sequence[object]] = {place: names for place, (names, _) in named.items()}
        once |= {"robustness.priors": swept.priors, "robustness.epsilons": swept.epsilons}
        check_once(once | {"excess.penalties": self.excess.penalties})


def check_parameters(folder: Path = Path()) -> None:
    """Raise ValueError for a params.yaml, of the current folder if none is given, that no study can be made with."""
    checked(folder / PARAMS, PARAMS, Parameters)


def checked(path: Path, name: Path, schema: type[Section]) -> dict[str, dict[str, Any]]:
    """The sections of a file of parameters. Raises ValueError, in one line with the name, where it is not as the schema
    says."""
    try:
        sections: dict[str, dict[str, Any]] = yaml.safe_load(path.read_text(encoding="utf-8"))
        convert(sections, schema)
    except (ValueError, yaml.YAMLError) as problem:
        raise ValueError(f"{name}: {' '.join(str(problem).split())}; mend it, and run the same again") from None
    return sections


def check_names(named: Mapping[str, tuple[Iterable[str], Collection[str]]]) -> None:
    """Raise ValueError for a name that is none of the known. named: where it stands → names there, and those known."""
    for place, (names, known) in named.items():
        for name in names:
            if name not in known:
                raise ValueError(f"{place} names {name!r}, which is none of {', '.join(sorted(known))}")


def check_once(entries: Mapping[str, Sequence[object]]) -> None:
    """Raise ValueError for a list with an entry that is in it twice. entries: where the list stands → its entries."""
    for place, values in entries.items():
        if any(value in values[:i] for i, value in enumerate(values)):
            raise ValueError(f"{place} has the same entry twice")
