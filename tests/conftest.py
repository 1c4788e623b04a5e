"""Hypothesis draws the same examples on every run."""

from hypothesis import settings

settings.register_profile("repeatable", derandomize=True, deadline=None, database=None, max_examples=60)
settings.load_profile("repeatable")
