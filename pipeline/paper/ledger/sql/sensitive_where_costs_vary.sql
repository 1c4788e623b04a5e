-- Are simulated teams' induced leaks more often sensitive where costs vary? One row per task: sensitive leaks in a hundred.
-- Tasks of a density and difficulty share a stratum.
WITH induced AS (
    SELECT game_id, event_index, bool_or(tier = 'sensitive') AS sensitive
    FROM played.leaks
    WHERE induced
    GROUP BY game_id, event_index
)
SELECT
    task_id AS task,
    difficulty || ' ' || density AS stratum,
    list_position(['uniform', 'varied'], setting) - 1 AS level,
    100 * count_if(sensitive) AS above,
    count(event_index) AS below
FROM even_games
LEFT JOIN induced USING (game_id)
WHERE condition = 'adversarial'
GROUP BY task, stratum, level
ORDER BY task
