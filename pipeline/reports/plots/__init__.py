"""Figures: each function takes frames and returns a figure."""
