"""What the ledger sets beside a printed figure: facts of the set-up, directions of comparisons, the figure itself."""

import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import polars as pl

from pipeline.behaviour.lexicons import words
from pipeline.paper.compare import printed
from pipeline.privacy.evidence import claims
from pipeline.privacy.protocols.kinds import RoundContext
from pipeline.privacy.rules import RULES
from pipeline.tables.names import PAPER_PROTOCOLS

ADVERSARIAL = ("section 4, Adversarial", "Appendix C")  # where a figure's setting does not say so


class Figure(NamedTuple):
    """A row of data/paper/numbers.csv; value is as printed."""

    source: str
    setting: str
    method: str
    kind: str
    metric: str
    value: str
    decimals: str

    @property
    def place(self) -> tuple[str, str]:
        """The condition and setting in which it was measured."""
        condition, _, setting = self.setting.partition(" ")
        if condition in ("blocked", "adversarial"):
            return condition, setting or "pooled"
        return "adversarial" if self.source in ADVERSARIAL else "standard", self.setting

    def at_its_precision(self, value: float) -> str:
        """A value of ours at the precision of the figure."""
        return printed(value, int(self.decimals))

    def equals(self, value: float) -> bool:
        """Whether a value of ours rounds to what is printed."""
        return Decimal(self.at_its_precision(value)) == Decimal(self.value)


def figures(numbers: pl.DataFrame) -> list[Figure]:
    """The paper's figures, those of a source together. numbers: all columns as text."""
    found = [Figure(*row) for row in numbers.select(Figure._fields).iter_rows()]
    sources = list(dict.fromkeys(figure.source for figure in found))
    return sorted(found, key=lambda figure: sources.index(figure.source))


QUERIES = Path(__file__).with_name("sql")
Answer = list[dict[str, Any]]

SHARED = ("setting", "method", "metric")  # columns by which a query's row may speak of some figures only


class Direction(NamedTuple):
    """A comparison, declared in data/paper/directions.yaml."""

    says: str
    query: str
    figures: list[dict[str, str | list[str]]]
    by_construction: bool
    because: str

    def covers(self, figure: Figure) -> bool:
        """Whether the figure belongs to the comparison."""
        return any(all(_among(getattr(figure, key), given) for key, given in listed.items()) for listed in self.figures)


class Shown(NamedTuple):
    """What simulated teams show of a comparison: the figures in words, and whether its direction is the paper's."""

    direction: Direction
    ours: str
    holds: bool


def read_directions(path: Path) -> list[Direction]:
    """The comparisons declared in a YAML file. Raises TypeError where one lacks a field or has one too many."""
    import yaml

    return [Direction(**listed) for listed in yaml.safe_load(path.read_text(encoding="utf-8"))]


def direction_of(figure: Figure, directions: list[Direction]) -> Direction | None:
    """The comparison to which the figure belongs: the first that covers it."""
    return next((direction for direction in directions if direction.covers(figure)), None)


def shown(direction: Direction, figure: Figure, answer: Answer) -> Shown | None:
    """What simulated teams show of the figure; None where there are none, or nothing to compare.

    answer: of the comparison's query.
    """
    for row in answer:
        if row["holds"] is not None and all(row[key] == getattr(figure, key) for key in SHARED if key in row):
            return Shown(direction, row["ours"], row["holds"])
    return None


def answer_of(direction: Direction, connection: duckdb.DuckDBPyConnection) -> Answer:
    """The answer of a comparison's query. connection: a view for each result."""
    text = (QUERIES / f"{direction.query}.sql").read_text(encoding="utf-8")
    found: Answer = connection.sql(text).pl().to_dicts()
    return found


def _among(value: str, given: str | list[str]) -> bool:
    return value in (given if isinstance(given, list) else [given])


PARAMS = Path("params.yaml")

# A message of each kind that gives Table 10 a figure, with slot 0 as the slot that it is about.
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

# The teams whose parameters Table 9 lists.
PRESETS = ("dsm-welfare", "dsm-private")


class Fact(NamedTuple):
    """A fact of the set-up in numbers.csv's terms, and where it stands here."""

    setting: str
    method: str
    metric: str
    value: float
    computed_by: str


def facts(results: Path, params: Path = PARAMS) -> list[Fact]:
    """Every fact that the paper prints, from the study's results, its parameters, its rules and its word lists."""
    return [*suite_facts(results), *preset_facts(results), *parameter_facts(params), *rule_facts(), *word_facts()]


def suite_facts(results: Path) -> Iterator[Fact]:
    """What the games share: tasks, agents, meetings, slots."""
    for condition, setting, fact, value in pl.read_csv(results / "setup.csv").drop_nulls().iter_rows():
        if condition == "standard":
            yield Fact(setting, "suite", fact, value, "pipeline/tables/sql/setup.sql")
        elif setting == "pooled":
            yield Fact(condition, "suite", fact, value, "pipeline/tables/sql/setup.sql")


def preset_facts(results: Path) -> Iterator[Fact]:
    """Table 9: the parameters under which the DSM protocols played."""
    styles = pl.read_csv(results / "styles.csv").filter(setting="uniform", condition="standard", kind="parameter")
    for team, name, value in styles.select("team", "name", "value").iter_rows():
        if team in PRESETS:
            yield Fact("pooled", PAPER_PROTOCOLS[team], name, value, "pipeline/tables/sql/styles.sql")


def parameter_facts(params: Path) -> Iterator[Fact]:
    """What params.yaml fixes."""
    import yaml

    given = yaml.safe_load(params.read_text(encoding="utf-8"))
    yield Fact("pooled", "suite", "max_turns_per_round", given["game"]["max_turns_per_round"], "params.yaml")
    for name, value in given["adversarial"].items():
        yield Fact("adversarial", "suite", name, value, "params.yaml")
    for pattern in ("availability_gossip", "cost_gossip"):
        yield Fact("pooled", pattern, "nearby_chars", given["patterns"]["nearby_chars"], "params.yaml")


def rule_facts() -> Iterator[Fact]:
    """Table 10 and H.3: what a message of each kind says of a slot, and how strongly."""
    rules = RULES["paper"]
    for source, body in SAMPLES.items():
        protocol, _, kind = source.partition("_")
        context = RoundContext(requested={0: {0}})
        ((_, _, _, evidence, *_),) = claims(json.dumps({protocol: kind} | body), 0, (1,), context, rules)
        yield Fact("pooled", source, "evidence", evidence, f"pipeline/privacy/protocols/{protocol}.py")
    for said, (evidence, strength) in rules.english.items():
        yield Fact("pooled", f"language_{said}", "evidence", evidence, "pipeline/privacy/rules.py")
        yield Fact("pooled", f"language_{said}", "strength", strength, "pipeline/privacy/rules.py")


def word_facts() -> Iterator[Fact]:
    """Appendix A.1 and H.3: how many phrases are listed, and how far a feasibility word reaches."""
    from pipeline.privacy.language.slots import REACH

    for name, phrases in words("stance").items():
        yield Fact("pooled", "stance", f"{name}_phrases", len(phrases), "pipeline/behaviour/lexicons/stance.yaml")
    yield Fact("pooled", "slot phrasings", "anchor_chars", REACH, "pipeline/privacy/language/slots.py")
