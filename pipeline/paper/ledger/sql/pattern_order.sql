-- Has each pattern the paper's place among the twelve, by how often simulated teams show it? One row per metric.
WITH counted AS (
    SELECT pattern, paper_rank, sum(occurrences)::BIGINT AS times, rank() OVER (ORDER BY sum(occurrences) DESC) AS place
    FROM patterns
    WHERE simulated AND condition = 'standard'
    GROUP BY pattern, paper_rank
),
printed(metric, pattern) AS (
    SELECT pattern, pattern FROM counted
    UNION ALL
    VALUES ('false_agreement', 'ambiguous_consensus'), ('availability_gossip_pct', 'availability_gossip')
)
SELECT metric, printf('place %d (%d times), the paper''s is %d', place, times, paper_rank) AS ours, place = paper_rank AS holds
FROM printed
JOIN counted USING (pattern)
ORDER BY metric
