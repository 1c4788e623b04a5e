"""The data dictionaries, from the declared tables, and where the parser's vocabulary stands."""

from collections.abc import Iterable
from os.path import relpath
from pathlib import Path
from types import ModuleType

from pipeline.privacy.language import grammar
from pipeline.privacy.language import vocabulary as words
from pipeline.privacy.language.vocabulary import classes as class_words
from pipeline.privacy.rules import ENGLISH
from pipeline.reports.documents.markdown import link, table
from pipeline.tables.paths import ROOT
from pipeline.tables.schemas.base import Table

LANGUAGE = Path("docs/language.md")

EXAMPLES = {
    "occupied": "Slot 4 has an errand that I would have to move",
    "negative": "I can't do slot 5",
    "positive": "Agent 3 and I are available at slot 1",
    "cost": "Slot 6 is low cost for me",
    "proposal": "Let's go with slot 5",
}
PHRASES: tuple[tuple[str, ModuleType, str], ...] = (
    ("occupied", class_words, "OCCUPIED"),
    ("negative", class_words, "NEGATIVE"),
    ("positive", class_words, "POSITIVE"),
    ("cost", class_words, "COST"),
    ("proposal", class_words, "PROPOSAL"),
    ("making room: cost where the clause names it, else occupied", class_words, "EFFORT"),
    ("events, which occupy a slot", class_words, "EVENT"),
    ("turned round: an errand denied, a conflict denied", class_words, "CLEAR"),
    ("negations, which turn the class after them", grammar, "NEGATION"),
    ("read over", grammar, "IGNORED"),
    ("conditions and guesses", grammar, "HYPOTHETICAL"),
    ("requests", grammar, "REQUEST"),
    ("the rest of the calendar", grammar, "ELSEWHERE"),
    ("exceptions", grammar, "EXCEPT"),
    ("what is kept away from, and not proposed", grammar, "SHUN"),
    ("all slots of which nothing else is said", grammar, "EVERY"),
    ("clause ends", grammar, "HARD"),
    ("part ends", grammar, "SOFT"),
    ("what {adv}, {not}, {move} and the like stand for", words, "PATTERNS"),
    ("words that are read with a slip of the keys", words, "STEMS"),
    ("abbreviations", words, "SHORT"),
    ("units: numbers before these are no slots", words, "UNITS"),
)


def data_dictionary(tables: Iterable[Table], kind: str = "") -> str:
    """For each table what one row is, its key, and a line per column. kind: what to call each in its heading."""
    return "\n".join(section(declared, kind) for declared in tables)


def section(declared: Table, kind: str = "") -> str:
    """One table's part of the dictionary."""
    key = ", ".join(f"`{column}`" for column in declared.key)
    columns = [(f"`{c.name}`", c.dtype, c.meaning.replace("|", r"\|"), c.unit) for c in declared.columns]
    listed = table(("column", "type", "meaning", "unit"), columns)
    heading = f"{declared.name}, a {kind}" if kind else declared.name
    return f"## {heading}\n\nOne row is {declared.row}. Key: {key}.\n\n{listed}\n"


def classes() -> str:
    """The classes of English claims with their evidence and strength."""
    ends = {0.0: "ε", 1.0: "1 − ε"}
    rows = [
        (name, f"`language_{name}`", f"{ends.get(evidence, evidence)}", f"{strength:.2f}", EXAMPLES[name])
        for name, (evidence, strength) in ENGLISH.items()
    ]
    return table(("class", "source", "evidence", "strength", "example"), rows)


def vocabulary() -> str:
    """Which phrases there are, and in which module they are listed."""
    rows = [(title, link(f"`{name}`", _source(module, name))) for title, module, name in PHRASES]
    return table(("phrases", "listed in"), rows)


def _source(module: ModuleType, name: str) -> str:
    """The address of a module from the page, for a name that it has."""
    if not hasattr(module, name):
        raise AttributeError(f"{module.__name__} has no {name}")
    return relpath(Path(str(module.__file__)).relative_to(ROOT), LANGUAGE.parent)
