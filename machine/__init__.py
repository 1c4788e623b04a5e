"""What benchmark and pipeline both need of the machines they run on: processes, clusters, files, stores, the terminal.

Nothing here knows of games or of tables.
"""

import sys
from importlib.util import find_spec

# Of a program that is started, not of a library that is imported: `python -m` shows as -m while packages load.
if sys.argv[:1] == ["-m"] and (sys.version_info < (3, 11) or find_spec("msgspec") is None):
    sys.exit(
        f"error: {sys.executable} is not the project's Python; run `make setup`, then `. .venv/bin/activate`, "
        "and the same command again (or `make repro`)"
    )
