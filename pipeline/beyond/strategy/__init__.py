"""Agents that do not say what is so: what lies gain them in each protocol, and what an adversary gains that adapts."""
