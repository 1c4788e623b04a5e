"""Batch reports: notebooks executed many at a time, as pages that open without a network."""
