"""The documents that quote figures or tables, rebuilt from them."""

from collections.abc import Iterator
from pathlib import Path

from pipeline import benchmarks
from pipeline.beyond.tables import BEYOND_TABLES
from pipeline.cards import page as cards
from pipeline.dictionary import data_dictionary
from pipeline.readme import filled, pieces
from pipeline.schemas.results import RESULT_TABLES
from pipeline.statistics import page

README, DICTIONARY, RESULTS = Path("README.md"), Path("data/README.md"), Path("data/results")
BEYOND = Path("docs/beyond/README.md")
STATISTICS, METRICS = Path("docs/statistics.md"), Path("docs/metrics.md")
BENCHMARKS, SCALE, MEASURED = Path("docs/benchmarks.md"), Path("docs/scale.md"), Path("docs/benchmarks.json")


def rebuilt() -> Iterator[tuple[Path, str]]:
    """Each document and the text that it should have."""
    yield README, filled(README.read_text(encoding="utf-8"), pieces(RESULTS))
    dictionaries = {"tables": data_dictionary(), "results": data_dictionary(RESULT_TABLES.values())}
    yield DICTIONARY, filled(DICTIONARY.read_text(encoding="utf-8"), dictionaries)
    dictionary = {"beyond": data_dictionary(BEYOND_TABLES.values())}
    yield BEYOND, filled(BEYOND.read_text(encoding="utf-8"), dictionary)
    yield STATISTICS, filled(STATISTICS.read_text(encoding="utf-8"), page.pieces(RESULTS))
    yield METRICS, filled(METRICS.read_text(encoding="utf-8"), cards.pieces(RESULTS))
    measured = benchmarks.pieces(MEASURED)
    for path in (BENCHMARKS, SCALE):
        yield path, filled(path.read_text(encoding="utf-8"), measured)
