"""One row of each table, its key, and what its columns mean."""
