"""Messages, moves and resolutions to how agents spoke: leaks, patterns, stance, volume, and what of it was meant."""

from functools import partial
from pathlib import Path

from pipeline.behaviour.patterns import Thresholds
from pipeline.behaviour.tables import BEHAVIOUR_INPUTS, BEHAVIOUR_TABLES, behaviour_frames
from pipeline.derive.spans import derive_spans
from pipeline.tables.io import write_json
from pipeline.tables.paths import RESULTS, TABLES, params


def main(tables: Path = TABLES, results: Path = RESULTS) -> None:
    make = partial(behaviour_frames, limits=Thresholds(**params("patterns")))
    write_json(derive_spans(tables, BEHAVIOUR_INPUTS, BEHAVIOUR_TABLES, make), results / "shapes_speech.json")


if __name__ == "__main__":
    main()
