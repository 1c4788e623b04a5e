-- Are simulated teams' induced leaks more often sensitive where costs vary? One row.
WITH counts AS (
    SELECT
        sum(induced_messages) FILTER (setting = 'uniform' AND tier = 'sensitive') AS uniform,
        sum(induced_messages) FILTER (setting = 'uniform' AND tier = 'all') AS uniform_all,
        sum(induced_messages) FILTER (setting = 'varied' AND tier = 'sensitive') AS varied,
        sum(induced_messages) FILTER (setting = 'varied' AND tier = 'all') AS varied_all
    FROM leaks
    WHERE simulated AND condition = 'adversarial'
)
SELECT
    printf('uniform %d of %d, varied %d of %d', uniform::BIGINT, uniform_all::BIGINT, varied::BIGINT, varied_all::BIGINT) AS ours,
    varied / nullif(varied_all, 0) > uniform / nullif(uniform_all, 0) AS holds
FROM counts
