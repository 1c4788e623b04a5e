-- Do harder tasks take simulated teams more messages per meeting? One row.
WITH pooled AS (
    SELECT difficulty, sum(dms_per_meeting * games) / sum(games) FILTER (dms_per_meeting IS NOT NULL) AS value
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
SELECT printf('easy %.2f, medium %.2f, hard %.2f', easy, medium, hard) AS ours, easy < medium AND medium < hard AS holds
FROM buckets
