"""What a table is: its declared columns, key and units; how one is written, read, queried and put into DuckDB."""
