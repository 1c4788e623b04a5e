"""Every built part of a document and the function that builds it: `python -m pipeline docs`."""

import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from machine.output import replacing
from pipeline.reports.documents import benchmarks, environment, paper, reference, stages, statistics
from pipeline.reports.documents.markdown import fill_parts
from pipeline.reports.documents.reference import data_dictionary
from pipeline.tables.schemas.base import TABLES
from pipeline.tables.schemas.results import RESULT_TABLES


class Part(NamedTuple):
    """A built part of a document: the document, the name in its mark, and the function that returns its text."""

    document: str
    name: str
    build: Callable[[], str]


PARTS = (
    Part("README.md", "refuted", paper.refuted),
    Part("README.md", "verdict", paper.verdict),
    Part("README.md", "table1", paper.table1),
    Part("data/README.md", "tables", partial(data_dictionary, TABLES.values(), "table")),
    Part("data/README.md", "results", partial(data_dictionary, RESULT_TABLES.values(), "result")),
    Part("docs/benchmarks.md", "machine", benchmarks.machines),
    Part("docs/benchmarks.md", "figures", benchmarks.figures),
    Part("docs/comparing.md", "scales", paper.scales),
    Part("docs/environment.md", "fills", environment.fills),
    Part("docs/environment.md", "thirds", environment.thirds),
    Part("docs/environment.md", "ruled_out", environment.ruled_out),
    Part("docs/environment.md", "costs_test", environment.costs_test),
    Part("docs/environment.md", "spread", environment.spread),
    Part("docs/environment.md", "leaks_test", environment.leaks_test),
    Part("docs/language.md", "english_rules", statistics.english_rules),
    Part("docs/language.md", "english_rules_ranks", statistics.english_rules_ranks),
    Part("docs/language.md", "classes", reference.classes),
    Part("docs/language.md", "vocabulary", reference.vocabulary),
    Part("docs/paper.md", "ledger", paper.ledger),
    Part("docs/paper.md", "refuted", paper.refuted),
    Part("docs/paper.md", "statements", paper.statements),
    Part("docs/paper.md", "denied", paper.denied),
    Part("docs/paper.md", "exhibits", paper.exhibits),
    Part("docs/scale.md", "a_game", benchmarks.a_game),
    Part("docs/statistics.md", "mixed_effects", statistics.mixed_effects),
    Part("docs/statistics.md", "slopes_beyond_chance", statistics.slopes_beyond_chance),
    Part("docs/statistics.md", "ranks", statistics.ranks),
    Part("docs/statistics.md", "robustness_ranks", statistics.robustness_ranks),
    Part("docs/statistics.md", "excess", statistics.excess),
    Part("docs/study.md", "stages", stages.stages),
)

# The simulator builds its documents itself: the pipeline imports nothing of it for that.
SIMULATOR_COMMAND = (sys.executable, "-m", "sim.runs.documents")


def build_texts(parts: Sequence[Part]) -> dict[Path, str]:
    """Each document with built parts, and its text with these built anew."""
    texts = {}
    for name, grouped in groupby(parts, key=lambda part: part.document):
        document, built = Path(name), {part.name: part.build() for part in grouped}
        texts[document] = fill_parts(document.read_text(encoding="utf-8"), built)
    return texts


def outdated(parts: Sequence[Part]) -> list[Path]:
    """The documents whose built parts differ from their sources, apart from the simulator's."""
    return [path for path, text in build_texts(parts).items() if path.read_text(encoding="utf-8") != text]


def write(parts: Sequence[Part]) -> None:
    """Build every document, the simulator's too. Ends the command where those can't be built, which has been said."""
    for path, text in build_texts(parts).items():
        with replacing(path) as target:
            target.write_text(text, encoding="utf-8")
    if code := subprocess.run(SIMULATOR_COMMAND, check=False).returncode:
        raise SystemExit(code)


def check(parts: Sequence[Part]) -> bool:
    """Whether every built part is up to date, the simulator's too; prints which documents are not."""
    outdated_documents = outdated(parts)
    if outdated_documents:
        names = ", ".join(path.as_posix() for path in outdated_documents)
        print(f"behind their sources: {names}; run `python -m pipeline docs`", file=sys.stderr)
    return subprocess.run([*SIMULATOR_COMMAND, "--check"], check=False).returncode == 0 and not outdated_documents
