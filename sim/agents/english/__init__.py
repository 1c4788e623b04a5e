"""Simulated speakers: they write and read English, and bargain by a few named parameters."""
