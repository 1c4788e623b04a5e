-- Do simulated teams pay more beyond the optimum with blocked calendars? One row per setting.
WITH costs AS (
    SELECT
        setting,
        avg(excess_cost) FILTER (condition = 'standard') AS free,
        avg(excess_cost) FILTER (condition = 'blocked') AS blocked
    FROM table1
    WHERE simulated
    GROUP BY setting
)
SELECT 'blocked ' || setting AS setting, printf('%.2f blocked, %.2f free', blocked, free) AS ours, blocked > free AS holds
FROM costs
ORDER BY setting
