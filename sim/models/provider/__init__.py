"""Calls to model providers: limits, retries, keys, cache and money."""
