"""What benchmark and pipeline both need of the machines they run on: processes, clusters, files, stores, the terminal.

Nothing here knows of games or of tables.
"""
