"""Who learns what from each message: evidence, beliefs and VPS (Appendix H)."""
