-- How much was said and what it led to.
-- A level that a list calls `all` or `unknown` is `all (level)` or `unknown (level)` here.
-- DMs per meeting are over meetings held; dms_per_scheduled is Table 1's column, and what section 4 gives by difficulty.
-- Figure 6 is prior_meetings_moved_per_game: distinct earlier meetings that somebody moved.
-- Row: one team, setting, condition and difficulty: how much was said, and what it led to
-- Key: team, setting, condition, difficulty
-- Columns:
--   team, simulated, setting, condition
--   difficulty str: easy, medium, hard, unknown or a level of an own list; all: every task
--   games
--   dms_per_meeting float: direct messages / meetings held, of all games together
--   dms_per_scheduled float: Table 1's: mean over games of direct messages / meetings scheduled
--   said_chars_per_message float [characters]: text said / messages, of all games together
--   said_chars_per_meeting float [characters]: text said / meetings held, of all games together
--   prior_meetings_moved_per_game float: distinct earlier meetings that somebody moved (Figure 6)
--   first_feasible_share float: of coordinated meetings that had such a slot, the share that took the first
--   fairness float: mean over games of least agent's cost / largest agent's
WITH moved AS (
    SELECT game_id, count(DISTINCT item_id) AS prior_meetings
    FROM moves
    WHERE item_kind = 'meeting'
    GROUP BY game_id
),
talked AS (
    SELECT
        game_id,
        count(*) AS rounds_held,
        sum(dms)::BIGINT AS dms_sent,
        sum(messages)::BIGINT AS messages_sent,
        sum(said_chars)::BIGINT AS chars_said,
        count(*) FILTER (took_first_feasible) AS took_first,
        count(took_first_feasible) AS could_take_first
    FROM round_volume
    GROUP BY game_id
),
tasks AS (
    SELECT games.*, bucket
    FROM
        games,
        unnest([
            CASE WHEN difficulty IN ('all', 'unknown') THEN difficulty || ' (level)' ELSE coalesce(difficulty, 'unknown') END,
            'all'
        ]) AS counted(bucket)
)
SELECT
    team,
    bool_or(simulated) AS simulated,
    setting,
    condition,
    bucket AS difficulty,
    count(*) AS games,
    sum(dms_sent)::BIGINT / nullif(sum(rounds_held)::BIGINT, 0) AS dms_per_meeting,
    avg(dms_per_meeting ORDER BY game_id) AS dms_per_scheduled,
    sum(chars_said)::BIGINT / nullif(sum(messages_sent)::BIGINT, 0) AS said_chars_per_message,
    sum(chars_said)::BIGINT / nullif(sum(rounds_held)::BIGINT, 0) AS said_chars_per_meeting,
    avg(coalesce(prior_meetings, 0)) AS prior_meetings_moved_per_game,
    sum(took_first)::BIGINT / nullif(sum(could_take_first)::BIGINT, 0) AS first_feasible_share,
    avg(fairness ORDER BY game_id) AS fairness
FROM tasks
LEFT JOIN talked USING (game_id)
LEFT JOIN moved USING (game_id)
GROUP BY team, setting, condition, bucket
ORDER BY team, setting, condition, array_position(['all', 'easy', 'medium', 'hard', 'unknown'], bucket)
