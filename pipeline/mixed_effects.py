"""The mixed-effects regression of Appendix I, by the name that others import: see statistics/mixed_effects.py."""

from pipeline.statistics.mixed_effects import crossed

__all__ = ["crossed"]
