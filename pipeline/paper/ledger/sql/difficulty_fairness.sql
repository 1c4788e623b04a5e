-- Do harder tasks make simulated teams less fair? One row.
WITH pooled AS (
    SELECT difficulty, sum(fairness * games) / sum(games) AS value
    FROM table1_by_difficulty
    WHERE simulated AND condition = 'standard'
    GROUP BY difficulty
),
buckets AS (
    SELECT
        max(value) FILTER (difficulty = 'easy') AS easy,
        max(value) FILTER (difficulty = 'medium') AS medium,
        max(value) FILTER (difficulty = 'hard') AS hard
    FROM pooled
)
SELECT printf('easy %.3f, medium %.3f, hard %.3f', easy, medium, hard) AS ours, easy > medium AND medium > hard AS holds
FROM buckets
