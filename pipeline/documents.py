"""The documents that quote figures or tables, rebuilt from them."""

from collections.abc import Iterator
from pathlib import Path

from pipeline.dictionary import data_dictionary
from pipeline.readme import filled, pieces

README, DICTIONARY, RESULTS = Path("README.md"), Path("data/README.md"), Path("data/results")


def rebuilt() -> Iterator[tuple[Path, str]]:
    """Each document and the text that it should have."""
    yield README, filled(README.read_text(encoding="utf-8"), pieces(RESULTS))
    yield DICTIONARY, filled(DICTIONARY.read_text(encoding="utf-8"), {"tables": data_dictionary()})
