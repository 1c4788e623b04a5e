-- Do simulated teams pay more beyond the optimum with blocked calendars? One row per setting and task: their mean on both forms of it.
WITH simulated AS (
    SELECT setting, condition, split_part(task_id, '_blocked', 1) AS task, avg(excess_cost) AS value
    FROM games
    WHERE simulated AND condition IN ('standard', 'blocked')
    GROUP BY setting, condition, task
)
SELECT
    'blocked ' || setting AS setting,
    task,
    max(value) FILTER (condition = 'blocked') AS a,
    max(value) FILTER (condition = 'standard') AS b
FROM simulated
GROUP BY setting, task
HAVING a IS NOT NULL AND b IS NOT NULL
ORDER BY setting, task
