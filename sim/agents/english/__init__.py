"""Simulated speakers: they write and read English, and bargain by the named parameters of a style."""
