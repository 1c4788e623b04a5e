-- Does the simulated team that writes least in varied games pay more than the cheapest of the others? One row per task.
WITH simulated AS (
    SELECT *
    FROM even_games
    WHERE condition = 'standard' AND setting = 'varied'
),
means AS (
    SELECT team, avg(dms_per_meeting) AS messages, avg(excess_cost) AS excess
    FROM simulated
    GROUP BY team
),
least AS (
    SELECT arg_min(team, (messages, team)) AS team FROM means
),
cheapest AS (
    SELECT arg_min(team, (excess, team)) AS team FROM means WHERE team <> (SELECT team FROM least)
)
SELECT
    task_id AS task,
    avg(excess_cost) FILTER (team = (SELECT team FROM least)) AS a,
    avg(excess_cost) FILTER (team = (SELECT team FROM cheapest)) AS b
FROM simulated
GROUP BY task
HAVING a IS NOT NULL AND b IS NOT NULL
ORDER BY task
