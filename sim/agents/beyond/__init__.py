"""Protocols that the paper does not have, and agents that misreport."""
