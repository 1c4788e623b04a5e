"""Traces of games in, tables of what happened and what it cost in privacy out.

Nine rooms, in the order in which data flows; each imports only from those before it: tables, traces, privacy,
behaviour, derive, statistics, paper, reports, beyond.
"""
