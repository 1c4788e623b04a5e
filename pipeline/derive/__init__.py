"""Traces to all tables at once, on all cores or a cluster, to a folder or a URL: the command `derive`."""
