-- Do simulated teams show more often what Table 4 counts more often? One row per pattern: its place there, and their
-- count below 0, as the first place has the most: both rise from the frequent to the rare.
SELECT pattern, paper_rank AS x, -sum(occurrences) AS y
FROM patterns
WHERE simulated AND condition = 'standard'
GROUP BY pattern, paper_rank
ORDER BY paper_rank
