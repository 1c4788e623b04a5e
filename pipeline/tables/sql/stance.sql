-- Table 3 (Appendix A). Shares are of messages in English.
-- The ratio is acquiescence / pushback; expensive moves are errands of cost 100 or more moved in varied games.
-- The paper names profiles without a rule. Ours reproduces its seven: ratio 2 and 0.8 part those who give in, balance
-- and resist, 1 the two kinds of balance; 1.5 expensive moves a varied game (its models lie at 0.4 to 1.2, and at 2.0
-- and 2.8) part those who know what a move costs from those who do not. Where a game's setting is unknown, or none is
-- varied, so are the moves per varied game, and the profile.
-- Row: one team and condition, over both settings (Table 3)
-- Key: team, condition
-- Columns:
--   team, simulated, condition, games
--   english_messages int: messages in English
--   acquiescence_pct float [%]: share of these that give in
--   pushback_pct float [%]: share that resist
--   both_pct float [%]: share that do both
--   ratio float: acquiescence / pushback; empty without pushback
--   expensive_moves int: errands of cost 100 or more that were moved in varied games
--   expensive_moves_per_varied_game float: these / varied games; empty where a setting is unknown
--   profile str: the profile's name in the paper, by the rule in sql/stance.sql
WITH talked AS (
    SELECT
        team,
        bool_or(simulated) AS simulated,
        condition,
        sum(english_messages)::BIGINT AS english_messages,
        sum(acquiescing)::BIGINT AS acquiescing,
        sum(pushing_back)::BIGINT AS pushing_back,
        sum("both")::BIGINT AS both_at_once
    FROM stance JOIN games USING (game_id)
    GROUP BY team, condition
),
played AS (
    SELECT
        team,
        condition,
        count(*) AS games,
        CASE WHEN bool_and(setting IS NOT NULL) THEN count(*) FILTER (setting = 'varied') END AS varied_games
    FROM games
    GROUP BY team, condition
),
moved AS (
    SELECT team, condition, count(*) AS expensive_moves
    FROM patterns JOIN games USING (game_id)
    WHERE pattern = 'qualitative_flattening' AND coalesce(setting, 'varied') = 'varied'
    GROUP BY team, condition
),
measured AS (
    SELECT *, coalesce(expensive_moves, 0) AS moves_made, moves_made / nullif(varied_games, 0) > 1.5 AS costly
    FROM talked JOIN played USING (team, condition) LEFT JOIN moved USING (team, condition)
)
SELECT
    team,
    simulated,
    condition,
    games,
    english_messages,
    100 * acquiescing / nullif(english_messages, 0) AS acquiescence_pct,
    100 * pushing_back / nullif(english_messages, 0) AS pushback_pct,
    100 * both_at_once / nullif(english_messages, 0) AS both_pct,
    acquiescing / nullif(pushing_back, 0) AS ratio,
    moves_made AS expensive_moves,
    moves_made / nullif(varied_games, 0) AS expensive_moves_per_varied_game,
    CASE
        WHEN acquiescing + pushing_back = 0 OR costly IS NULL THEN NULL
        WHEN acquiescing >= pushing_back AND costly THEN 'Indiscriminate capitulation'
        WHEN costly THEN 'Assertive, ineffective'
        WHEN acquiescing >= 2 * pushing_back THEN 'Informed acquiescence'
        WHEN acquiescing >= pushing_back THEN 'Balanced, slightly acquiescent'
        WHEN acquiescing >= 0.8 * pushing_back THEN 'Balanced, slightly assertive'
        ELSE 'Assertive, efficient'
    END AS profile
FROM measured
ORDER BY team, condition
