"""Messages to who learnt what: belief evidence, VPS of every pair and round, of every game, and by source."""

import os
from pathlib import Path

from pipeline.parts import assemble_table, each, executor, leave_parts, no_garbage_collection, ranges_of, scratch_in
from pipeline.privacy import PRIVACY, privacy_frames
from pipeline.rules import RULES, Weighing
from pipeline.schemas import TABLES as SCHEMAS
from pipeline.stages import RESULTS, TABLES, params

READ = ("games", "rounds", "messages", "calendars")
GAMES_A_PART = 64


def main(tables: Path = TABLES) -> None:
    from pipeline import io

    vps = params("vps")
    weighing = Weighing(prior=vps["prior"], weight_cap=vps["weight_cap"])
    games = io.read_table(tables, "games")["game_id"].to_list()
    runs = [games[i : i + GAMES_A_PART] for i in range(0, len(games), GAMES_A_PART)]
    with scratch_in(tables) as scratch, executor(os.cpu_count() or 1) as pool:
        parts = [
            (number, (run[0], run[-1]), tables, scratch, vps["rules"], weighing) for number, run in enumerate(runs)
        ]
        numbers = sorted(each(learn_part, parts, pool))
        ranges, unwanted = ranges_of(games), dict.fromkeys(numbers, ())
        calls = [(SCHEMAS[name], numbers, unwanted, ranges, scratch, tables, False) for name in PRIVACY]
        shapes = {shape["table"]: shape for shape in each(assemble_table, calls, pool)}
    io.write_json(dict(sorted(shapes.items())), RESULTS / "shapes_beliefs.json")


def learn_part(number: int, span: tuple[str, str], tables: Path, scratch: Path, rules: str, weighing: Weighing) -> int:
    """Leave the parts of the games from the first to the last of a span; the part's number."""
    import polars as pl

    wanted = pl.col("game_id").is_between(pl.lit(span[0]), pl.lit(span[1]))
    frames = {name: pl.scan_parquet(tables / f"{name}.parquet").filter(wanted).collect() for name in READ}
    with no_garbage_collection():
        leave_parts(privacy_frames(frames, RULES[rules], weighing), scratch, number)
    return number


if __name__ == "__main__":
    main()
