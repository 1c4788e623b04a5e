"""Tables, results and tasks to one database, and the digests of the files that it holds."""

from pipeline.tables.database import make_database
from pipeline.tables.paths import DATABASE, TABLES
from pipeline.tables.stamp import digests_path, write_digests


def main() -> None:
    stamp = make_database(TABLES, DATABASE)
    write_digests(stamp, digests_path(DATABASE))
    print(f"{len(stamp)} files in {DATABASE}")


if __name__ == "__main__":
    main()
