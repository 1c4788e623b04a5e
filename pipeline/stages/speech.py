"""Messages, moves and resolutions to how agents spoke: leaks, patterns, stance, volume, and what of it was meant."""

import os
from pathlib import Path

from pipeline.parts import assemble_table, each, executor, leave_parts, no_garbage_collection, ranges_of, scratch_in
from pipeline.phrases import Thresholds
from pipeline.schemas import TABLES as SCHEMAS
from pipeline.speech import READ, SPEECH, speech_frames
from pipeline.stages import RESULTS, TABLES, params

GAMES_A_PART = 64


def main(tables: Path = TABLES, results: Path = RESULTS) -> None:
    from pipeline import io

    limits = Thresholds(**params("patterns"))
    games = io.read_table(tables, "games")["game_id"].to_list()
    runs = [games[i : i + GAMES_A_PART] for i in range(0, len(games), GAMES_A_PART)]
    with scratch_in(tables) as scratch, executor(os.cpu_count() or 1) as pool:
        parts = [(number, (run[0], run[-1]), tables, scratch, limits) for number, run in enumerate(runs)]
        numbers = sorted(each(hear_part, parts, pool))
        ranges, unwanted = ranges_of(games), dict.fromkeys(numbers, ())
        calls = [(SCHEMAS[name], numbers, unwanted, ranges, scratch, tables, False) for name in SPEECH]
        shapes = {shape["table"]: shape for shape in each(assemble_table, calls, pool)}
    io.write_json(dict(sorted(shapes.items())), results / "shapes_speech.json")


def hear_part(number: int, span: tuple[str, str], tables: Path, scratch: Path, limits: Thresholds) -> int:
    """Leave the parts of the games from the first to the last of a span; the part's number."""
    import polars as pl

    wanted = pl.col("game_id").is_between(pl.lit(span[0]), pl.lit(span[1]))
    frames = {name: pl.scan_parquet(tables / f"{name}.parquet").filter(wanted).collect() for name in READ}
    with no_garbage_collection():
        leave_parts(speech_frames(frames, limits), scratch, number)
    return number


if __name__ == "__main__":
    main()
