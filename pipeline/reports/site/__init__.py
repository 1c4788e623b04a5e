"""A folder of static pages made from the tables: leaderboard, list of games, trace viewer, two games side by side."""
