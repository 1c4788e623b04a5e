-- Is the simulated team that writes least in varied games some other than the cheapest? One row.
WITH measured AS (
    SELECT team, dms_per_meeting, excess_cost
    FROM table1
    WHERE simulated AND condition = 'standard' AND setting = 'varied' AND dms_per_meeting IS NOT NULL
),
named AS (
    SELECT arg_min(team, (dms_per_meeting, team)) AS tersest, arg_min(team, (excess_cost, team)) AS cheapest, count(*) AS teams
    FROM measured
)
SELECT printf('%s writes least, %s has the least excess cost', tersest, cheapest) AS ours, tersest <> cheapest AS holds
FROM named
WHERE teams > 1
