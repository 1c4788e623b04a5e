"""What benchmark and pipeline both ask of the machines they run on: processes, clusters, locks, stores, the terminal.

Nothing here knows of games or of tables.
"""
