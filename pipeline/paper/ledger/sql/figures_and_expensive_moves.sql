-- Do simulated teams that put more costs into figures move fewer expensive errands? One row: Spearman's rank correlation.
WITH counted AS (
    SELECT
        team,
        sum(occurrences) FILTER (pattern = 'cost_number_disclosure') / sum(messages) FILTER (pattern = 'cost_number_disclosure')
            AS told,
        sum(occurrences) FILTER (pattern = 'qualitative_flattening') AS moved
    FROM patterns
    WHERE simulated AND condition = 'standard'
    GROUP BY team
),
placed AS (
    SELECT
        rank() OVER (ORDER BY told) + (count(*) OVER (PARTITION BY told) - 1) / 2 AS by_told,
        rank() OVER (ORDER BY moved) + (count(*) OVER (PARTITION BY moved) - 1) / 2 AS by_moved
    FROM counted
),
correlation AS (
    SELECT corr(by_told, by_moved) AS rho, count(*) AS teams FROM placed
)
SELECT printf('rank correlation %.2f over %d styles', rho, teams) AS ours, rho < 0 AS holds
FROM correlation
WHERE isfinite(rho)
