"""One game: calendars, rounds, talk, decisions, and the trace of what happened."""
