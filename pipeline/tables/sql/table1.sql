-- Table 1: one row per team, setting and condition.
SELECT * EXCLUDE (difficulty, every_difficulty)
FROM team_means
WHERE every_difficulty
ORDER BY team, setting, condition
