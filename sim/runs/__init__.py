"""Many games: teams, workers, destinations, and the commands."""
