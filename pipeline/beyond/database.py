"""The study's database with the tables beyond the paper, and their digests."""

from pipeline.beyond.schemas import BEYOND_TABLES
from pipeline.tables.database import make_database
from pipeline.tables.paths import BEYOND_DIGESTS, DATABASE, TABLES
from pipeline.tables.stamp import write_digests


def main() -> None:
    stamp = make_database(TABLES, DATABASE, BEYOND_TABLES)
    write_digests((origin for origin in stamp if origin.kind == "beyond"), BEYOND_DIGESTS)
    print(f"{len(stamp)} files in {DATABASE}")


if __name__ == "__main__":
    main()
