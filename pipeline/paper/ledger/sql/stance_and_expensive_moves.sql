-- Do simulated teams that give in more often move fewer expensive errands? One row: Spearman's rank correlation.
WITH placed AS (
    SELECT
        rank() OVER (ORDER BY ratio) + (count(*) OVER (PARTITION BY ratio) - 1) / 2 AS by_ratio,
        rank() OVER (ORDER BY expensive_moves) + (count(*) OVER (PARTITION BY expensive_moves) - 1) / 2 AS by_moves
    FROM stance
    WHERE simulated AND condition = 'standard' AND ratio IS NOT NULL
),
correlation AS (
    SELECT corr(by_ratio, by_moves) AS rho, count(*) AS teams FROM placed
)
SELECT printf('rank correlation %.2f over %d styles', rho, teams) AS ours, rho < 0 AS holds
FROM correlation
WHERE isfinite(rho)
