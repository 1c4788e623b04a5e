"""How large a trace may be: every limit in one place (docs/reliability.md). What exceeds one is rejected.

A game of five agents and five meetings stays below a thousandth of each. Change them here for a larger study.
"""

# Bytes after decompression.
FILE_BYTES = 1 << 30
TRACE_BYTES = 1 << 28

# Of a pack: lines, and rejected lines. What follows is not read.
LINES = 1_000_000
BAD_LINES = 1_000

# Decompressed bytes that a worker reads before it writes their rows to the disk.
BATCH_BYTES = 1 << 28

# Of a game.
SLOTS = 10_000
AGENTS = 1_000
CELLS = 5_000_000  # slots of all calendars that are kept
MESSAGE_CHARS = 1_000_000
DELIVERED_CHARS = 16_000_000  # characters of all messages, times their recipients

# Of values: names that are repeated in every row, counts and costs, and whole numbers that a table can hold.
NAME_CHARS = 200
MAX_NUMBER = 1_000_000_000
MIN_INT64, MAX_INT64 = -(1 << 63), (1 << 63) - 1

# Of a rejection's reason: in the table, and on the terminal.
REASON_CHARS = 500
LINE_CHARS = 300
