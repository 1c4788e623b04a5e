-- Does a probing agent get more of simulated teams' messages to leak where costs vary? One row per task: induced leaks per
-- thousand messages. Tasks of a density and difficulty share a stratum.
WITH induced AS (
    SELECT DISTINCT game_id, event_index
    FROM played.leaks
    WHERE induced
)
SELECT
    task_id AS task,
    difficulty || ' ' || density AS stratum,
    list_position(['uniform', 'varied'], setting) - 1 AS level,
    1000 * sum((SELECT count(*) FROM induced WHERE induced.game_id = even_games.game_id)) AS above,
    sum(dms + group_messages) AS below
FROM even_games
WHERE condition = 'adversarial'
GROUP BY task, stratum, level
ORDER BY task
