-- Do simulated teams coordinate less with blocked calendars? One row per setting and task: the mean on both forms of it, over the teams that played both.
WITH both_forms AS (
    SELECT
        setting,
        split_part(task_id, '_blocked', 1) AS task,
        team,
        avg(100 * coordination_rate ORDER BY game_id) FILTER (condition = 'standard') AS a,
        avg(100 * coordination_rate ORDER BY game_id) FILTER (condition = 'blocked') AS b
    FROM games
    WHERE simulated
    GROUP BY setting, task, team
    HAVING a IS NOT NULL AND b IS NOT NULL
)
SELECT 'blocked ' || setting AS setting, task, avg(a ORDER BY team) AS a, avg(b ORDER BY team) AS b
FROM both_forms
GROUP BY setting, task
ORDER BY setting, task
