"""Metric checks: how Table 1's metrics answer to changes that should not matter, and to policies nobody would want."""
