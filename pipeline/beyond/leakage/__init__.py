"""Leakage in bits: the information that messages carry about a target's calendar, and the least that they had to.

A target's calendar is the state of each of its slots when a round begins: free, an errand of one of the setting's
costs, or busy. An observer holds a prior of each slot; a message's statement is a likelihood over a slot's states; bits
are those of the posterior against the prior. docs/beyond/leakage.md says it whole.
"""
