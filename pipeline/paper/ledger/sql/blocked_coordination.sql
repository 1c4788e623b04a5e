-- Do simulated teams coordinate less with blocked calendars? One row per setting.
WITH rates AS (
    SELECT
        setting,
        avg(coordination_rate_pct) FILTER (condition = 'standard') AS free,
        avg(coordination_rate_pct) FILTER (condition = 'blocked') AS blocked
    FROM table1
    WHERE simulated
    GROUP BY setting
)
SELECT 'blocked ' || setting AS setting, printf('%.1f %% blocked, %.1f %% free', blocked, free) AS ours, blocked < free AS holds
FROM rates
ORDER BY setting
