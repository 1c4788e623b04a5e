"""Metric cards: what the metrics of Table 1 make of changes that should not matter, and of unwanted policies."""
