-- Is the simulated team that pushes back most the one that coordinates least? One row.
WITH measured AS (
    SELECT team, pushback_pct, avg(coordination_rate_pct) AS coordination
    FROM stance
    JOIN table1 USING (team, condition)
    WHERE stance.simulated AND condition = 'standard' AND pushback_pct IS NOT NULL
    GROUP BY team, pushback_pct
),
named AS (
    SELECT arg_max(team, (pushback_pct, team)) AS loudest, arg_min(team, (coordination, team)) AS last, count(*) AS teams
    FROM measured
)
SELECT printf('%s pushes back most, %s coordinates least', loudest, last) AS ours, loudest = last AS holds
FROM named
WHERE teams > 1
