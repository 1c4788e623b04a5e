"""Messages to who learnt what: belief evidence, VPS of every pair and round, of every game, and by source."""

from functools import partial
from pathlib import Path

from pipeline.derive.spans import derive_spans
from pipeline.privacy.evidence import PRIVACY_TABLES, privacy_frames
from pipeline.privacy.rules import chosen_rules, chosen_weighing
from pipeline.tables.io import write_json
from pipeline.tables.paths import RESULTS, TABLES, params

READ = ("games", "rounds", "messages", "calendars")


def main(tables: Path = TABLES, results: Path = RESULTS) -> None:
    vps = params("vps")
    rules = chosen_rules(vps)
    weighing = chosen_weighing(vps)
    shapes = derive_spans(tables, READ, PRIVACY_TABLES, partial(privacy_frames, rules=rules, weighing=weighing))
    write_json(shapes, results / "shapes_beliefs.json")


if __name__ == "__main__":
    main()
