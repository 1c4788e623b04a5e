"""Larger worlds than the paper's: 2 to 50 agents, longer calendars and streams, sparse to dense."""
