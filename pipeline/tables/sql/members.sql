-- A kind is a model, or else a type, and whether it probes; agents of one type that differ in their parameters are
-- variants, numbered from 1 by seat. Means are over the member's seats in all games; VPS over observed pairs and rounds:
-- what was learnt of it (given away), and what it learnt of others.
-- Row: one team, setting, condition and kind of agent in it: means over its seats in all games
-- Key: team, setting, condition, member, variant, nosy
-- Columns:
--   team, simulated, setting, condition
--   member str: the agent's model, or else its type
--   variant int: parts agents of one type by their parameters, from 1 by seat
--   nosy bool: whether it probes
--   games
--   seats int: agents of that kind in them
--   cost float [cost]: cost of its own moves
--   excess_burden float [cost]: own cost − its share in the optimal schedule
--   messages_sent float: messages that it sent, a game
--   vps_given_mean float [VPS]: what was learnt of it, equal weights, over observed pairs and rounds
--   vps_learnt_mean float [VPS]: what it learnt of others, likewise
WITH parameters AS (
    SELECT game_id, agent, string_agg(parameter || '=' || value, ' ' ORDER BY parameter) AS settings
    FROM agent_parameters
    GROUP BY game_id, agent
),
seats AS (
    SELECT
        team,
        simulated,
        setting,
        condition,
        agents.* EXCLUDE (model),
        coalesce(model, agent_type) AS member,
        first_value(agent) OVER (PARTITION BY game_id, coalesce(model, agent_type), nosy, settings ORDER BY agent) AS first_seat
    FROM agents JOIN games USING (game_id) LEFT JOIN parameters USING (game_id, agent)
),
kinds AS (
    SELECT *, dense_rank() OVER (PARTITION BY game_id, member, nosy ORDER BY first_seat) AS variant
    FROM seats
),
pairs AS (
    SELECT game_id, target_agent, observer_agent, vps_loss FROM pair_round_vps WHERE weight_mode = 'uniform' AND vps_loss IS NOT NULL
),
given AS (
    SELECT game_id, target_agent AS agent, sum(vps_loss) AS given, count(*) AS given_pairs FROM pairs GROUP BY ALL
),
learnt AS (
    SELECT game_id, observer_agent AS agent, sum(vps_loss) AS learnt, count(*) AS learnt_pairs FROM pairs GROUP BY ALL
)
SELECT
    team,
    bool_or(simulated) AS simulated,
    setting,
    condition,
    member,
    variant,
    nosy,
    count(DISTINCT game_id) AS games,
    count(*) AS seats,
    avg(cost) AS cost,
    avg(excess_burden) AS excess_burden,
    avg(messages_sent) AS messages_sent,
    sum(given) / nullif(sum(given_pairs), 0) AS vps_given_mean,
    sum(learnt) / nullif(sum(learnt_pairs), 0) AS vps_learnt_mean
FROM (FROM kinds ORDER BY game_id, agent) LEFT JOIN given USING (game_id, agent) LEFT JOIN learnt USING (game_id, agent)
GROUP BY team, setting, condition, member, variant, nosy
ORDER BY team, setting, condition, member, variant, nosy
