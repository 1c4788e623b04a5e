"""Messages, moves and resolutions to how agents spoke: leaks, patterns, stance, volume, and what of it was meant."""

from functools import partial
from pathlib import Path

from pipeline.io import write_json
from pipeline.reading.spans import derive_spans
from pipeline.speech.phrases import Thresholds
from pipeline.speech.tables import READ, SPEECH, speech_frames
from pipeline.stages import RESULTS, TABLES, params


def main(tables: Path = TABLES, results: Path = RESULTS) -> None:
    make = partial(speech_frames, limits=Thresholds(**params("patterns")))
    write_json(derive_spans(tables, READ, SPEECH, make), results / "shapes_speech.json")


if __name__ == "__main__":
    main()
