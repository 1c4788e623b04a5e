-- Table 1 by difficulty: one row per team, setting, condition and difficulty.
SELECT * EXCLUDE (every_difficulty)
FROM team_means
WHERE NOT every_difficulty
ORDER BY team, setting, condition, difficulty
