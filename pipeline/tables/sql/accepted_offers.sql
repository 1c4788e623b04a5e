-- Which offered slot a meeting took, over all games of a group together.
-- Meetings are those coordinated for which somebody offered a feasible slot (sql/shared/offers.sql). The feasible slots
-- of a round are ordered by their first offer. Shares are in % of these meetings, and add up to 100.
-- Row: one team, setting and condition: which offered slot its meetings took
-- Key: team, setting, condition
-- Columns:
--   team, simulated, setting, condition
--   meetings int: coordinated meetings for which somebody offered a feasible slot
--   slots_offered float: mean over these of the distinct feasible slots offered
--   first_pct float [%]: share of these in the feasible slot that was offered first
--   second_pct float [%]: share in the one offered second
--   later_pct float [%]: share in one offered later
--   not_offered_pct float [%]: share in a slot that nobody had offered
SELECT
    team,
    bool_or(simulated) AS simulated,
    setting,
    condition,
    count(*) AS meetings,
    avg(slots_offered) AS slots_offered,
    100 * avg((place = 1)::INT) AS first_pct,
    100 * avg((place = 2)::INT) AS second_pct,
    100 * avg((place > 2)::INT) AS later_pct,
    100 * avg((place = 0)::INT) AS not_offered_pct
FROM (
    SELECT game_id, round, count(*) AS slots_offered, coalesce(max(nth) FILTER (offered = slot), 0) AS place
    FROM (
        SELECT game_id, round, slot AS offered, row_number() OVER (PARTITION BY game_id, round ORDER BY min(told)) AS nth
        FROM offers
        WHERE cost IS NOT NULL
        GROUP BY game_id, round, slot
    )
    JOIN rounds USING (game_id, round)
    WHERE coordinated
    GROUP BY game_id, round
)
JOIN games USING (game_id)
GROUP BY team, setting, condition
ORDER BY team, setting, condition
