-- Does a probing agent get more of simulated teams' messages to leak where costs vary? One row.
WITH rates AS (
    SELECT
        sum(induced_messages) FILTER (setting = 'uniform') AS uniform,
        sum(messages) FILTER (setting = 'uniform') AS uniform_messages,
        sum(induced_messages) FILTER (setting = 'varied') AS varied,
        sum(messages) FILTER (setting = 'varied') AS varied_messages
    FROM leaks
    WHERE simulated AND condition = 'adversarial' AND tier = 'all'
)
SELECT
    printf('uniform %d of %d, varied %d of %d', uniform::BIGINT, uniform_messages::BIGINT, varied::BIGINT, varied_messages::BIGINT) AS ours,
    varied / varied_messages > uniform / uniform_messages AS holds
FROM rates
