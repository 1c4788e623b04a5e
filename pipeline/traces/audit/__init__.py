"""The auditor: replays each trace by rules of its own, and says in codes what does not fit."""
