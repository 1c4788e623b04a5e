"""Facts of the set-up that the paper prints, as they are in force here."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from pipeline.behaviour.phrases import words
from pipeline.privacy.evidence import claims
from pipeline.privacy.protocols.kinds import RoundContext
from pipeline.privacy.rules import ENGLISH, RULES
from pipeline.tables.paths import PAPER_PROTOCOLS, PAPER_SUITE, read_yaml

PARAMS = Path("params.yaml")

# A message about slot 0 of each kind that Table 10 has a figure of.
SAMPLES: dict[str, dict[str, Any]] = {
    "dsm_proposals": {"slots": [0]},
    "dsm_decision": {"slot": 0},
    "imap_costs": {"costs": {"0": 1}},
    "imap_decision": {"slot": 0},
    "sd_propose": {"slot": 0},
    "sd_reply": {"slot": 0, "reply_status": "PENDING"},
    "sd_propose_reschedule": {"to_slot": 0},
    "sd_reschedule_reply": {"to_slot": 0, "reply_status": "PENDING"},
}

LABELS = ("data/labels/errands.yaml", "data/labels/meetings.yaml")
ONE_OFFER = "one offer a meeting; no first offer of DSM-Welfare fails, so that its games do not tell"
SEEDS_A_CELL = 1000  # a cell's seeds start at a multiple of it

# The teams whose parameters Table 9 lists.
PRESETS = ("dsm-welfare", "dsm-private")


class Fact(NamedTuple):
    """A fact of the set-up by the setting, method and metric of numbers.csv, and the file that it is from."""

    setting: str
    method: str
    metric: str
    value: float | str
    computed_by: str
    note: str = ""  # why no game tells, where ours may be another


def setup_facts(results: Path, params: Path = PARAMS, root: Path = Path()) -> list[Fact]:
    """Every fact of the set-up that the paper prints, from results, parameters, rules, word lists and data."""
    return [
        *suite_facts(results),
        *preset_facts(results),
        *parameter_facts(params),
        *rule_facts(),
        *word_facts(),
        *list_facts(root),
        *model_facts(root),
    ]


def suite_facts(results: Path) -> Iterator[Fact]:
    """What the games share: tasks, agents, meetings, slots."""
    for condition, setting, fact, value in pl.read_csv(results / "setup.csv", glob=False).drop_nulls().iter_rows():
        if condition == "standard":
            yield Fact(setting, "suite", fact, value, "pipeline/tables/sql/setup.sql")
        elif setting == "pooled":
            yield Fact(condition, "suite", fact, value, "pipeline/tables/sql/setup.sql")


def preset_facts(results: Path) -> Iterator[Fact]:
    """Table 9: the parameters under which the DSM protocols played."""
    styles = pl.read_csv(results / "styles.csv", glob=False).filter(
        setting="uniform", condition="standard", kind="parameter"
    )
    for team, name, value in styles.select("team", "name", "value").iter_rows():
        if team in PRESETS:
            method = PAPER_PROTOCOLS[team]
            yield Fact("pooled", method, name, value, "pipeline/tables/sql/styles.sql")
            if name == "max_offers":
                searches = "no" if value == 1 else "yes"
                yield Fact("pooled", method, "exhaustive_search", searches, "pipeline/tables/sql/styles.sql", ONE_OFFER)


def parameter_facts(params: Path) -> Iterator[Fact]:
    """Turns, probing and the reach of patterns, which params.yaml fixes."""
    parameters = read_yaml(params)
    yield Fact("pooled", "suite", "max_turns_per_round", parameters["game"]["max_turns_per_round"], "params.yaml")
    for name, value in parameters["adversarial"].items():
        yield Fact("adversarial", "suite", name, value, "params.yaml")
    for pattern in ("availability_gossip", "cost_gossip"):
        yield Fact("pooled", pattern, "nearby_chars", parameters["patterns"]["nearby_chars"], "params.yaml")


def rule_facts() -> Iterator[Fact]:
    """Table 10 and H.3: what a message of each kind says of a slot, and how strongly."""
    rules = RULES["paper"]
    for source, body in SAMPLES.items():
        protocol, _, kind = source.partition("_")
        context = RoundContext(requested={0: {0}})
        ((_, _, _, evidence, *_),) = claims(json.dumps({protocol: kind} | body), 0, (1,), context, rules)
        yield Fact("pooled", source, "evidence", evidence, f"pipeline/privacy/protocols/{protocol}.py")
    for kind, (evidence, strength) in ENGLISH.items():
        yield Fact("pooled", f"language_{kind}", "evidence", evidence, "pipeline/privacy/rules.py")
        yield Fact("pooled", f"language_{kind}", "strength", strength, "pipeline/privacy/rules.py")


def word_facts() -> Iterator[Fact]:
    """Appendix A.1 and H.3: how many phrases are listed, and how far a feasibility word reaches."""
    from pipeline.privacy.language.slots import REACH

    for name, phrases in words("stance").items():
        yield Fact("pooled", "stance", f"{name}_phrases", len(phrases), "pipeline/behaviour/lexicons/stance.yaml")
    yield Fact("pooled", "slot phrasings", "anchor_chars", REACH, "pipeline/privacy/language/slots.py")


def list_facts(root: Path) -> Iterator[Fact]:
    """Section 3.3 and Table 4: among how many candidates a cell's tasks are, and how many words tell of a label."""
    seeds = pl.read_csv(root / PAPER_SUITE, glob=False)["seed"] % SEEDS_A_CELL
    yield Fact("pooled", "suite", "place_among_candidates_at_most", int(seeds.max()) + 1, str(PAPER_SUITE))  # type: ignore[arg-type]
    labels = [entry for name in LABELS for entry in read_yaml(root / name)]
    terms = len({term for entry in labels for term in entry["terms"]})
    why = "the paper's are not printed, and its labels are not ours"
    yield Fact("pooled", "semantic_label_leakage", "keywords", terms, LABELS[0], why)


def model_facts(root: Path) -> Iterator[Fact]:
    """Table 8: the identifier by which each model is called, without the service that calls it."""
    declared = (
        pl.read_csv(root / "data/paper/models.csv", infer_schema=False, glob=False)
        .select("models", "method")
        .iter_rows()
    )
    method_of = {name: method for names, method in declared for name in names.split(";")}
    for path in sorted((root / "data/teams").glob("*.yaml")):
        team = read_yaml(path)
        model = team["agents"][0].get("parameters", {}).get("model", "")
        if method := method_of.get(model.rpartition("/")[2].lower()):
            service, _, called = model.partition("/")
            identifier = called if service == "openrouter" else called.rpartition("/")[2]
            yield Fact("pooled", method, "model_identifier", identifier, f"data/teams/{path.name}")
