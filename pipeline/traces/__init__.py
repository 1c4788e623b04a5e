"""Traces in, ours or the public benchmark's: typed records, a replay, the rows of what happened; and an auditor."""
