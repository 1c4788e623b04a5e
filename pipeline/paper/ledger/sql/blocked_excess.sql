-- Do simulated teams pay more beyond the optimum with blocked calendars? One row per setting and task: the mean on both forms of it, over the teams that played both.
WITH both_forms AS (
    SELECT
        setting,
        split_part(task_id, '_blocked', 1) AS task,
        team,
        avg(excess_cost ORDER BY game_id) FILTER (condition = 'blocked') AS a,
        avg(excess_cost ORDER BY game_id) FILTER (condition = 'standard') AS b
    FROM games
    WHERE simulated
    GROUP BY setting, task, team
    HAVING a IS NOT NULL AND b IS NOT NULL
)
SELECT 'blocked ' || setting AS setting, task, avg(a ORDER BY team) AS a, avg(b ORDER BY team) AS b
FROM both_forms
GROUP BY setting, task
ORDER BY setting, task
