"""Traces of games in, tables of what happened and what it cost in privacy out."""
