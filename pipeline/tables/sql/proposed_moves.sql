-- What proposals would displace, over all games of a group together.
-- A proposal is a slot that one agent offers in one round (sql/shared/offers.sql). Shares are in %. The cheaper slot is
-- of feasible proposals: another feasible slot had cost the participants less in all. The cheaper errand is of feasible
-- proposals right after another: errands that the new one displaces cost less than those of the one before, but not 0.
-- Row: one team, setting and condition: what its proposals would displace
-- Key: team, setting, condition
-- Columns:
--   team, simulated, setting, condition
--   proposals int: slots that one agent offered in one round, each once
--   feasible_pct float [%]: share of these that every participant has free, or can clear of an errand
--   own_errand_pct float [%]: share where the sender holds an errand that is not blocked
--   recipient_errand_pct float [%]: share where a participant to whom it was offered holds one
--   displaced_cost float [cost]: mean over feasible proposals of the cost of the participants' errands
--   cheaper_slot_pct float [%]: share of feasible proposals beside a feasible slot of lower cost
--   cheaper_errand_pct float [%]: share of feasible proposals right after another that displace errands of lower cost,
--     and not 0
SELECT
    team,
    bool_or(simulated) AS simulated,
    setting,
    condition,
    count(*) AS proposals,
    100 * avg((cost IS NOT NULL)::INT) AS feasible_pct,
    100 * avg(own_errand::INT) AS own_errand_pct,
    100 * avg(recipient_errand::INT) AS recipient_errand_pct,
    avg(cost) AS displaced_cost,
    100 * avg((least_cost < cost)::INT) AS cheaper_slot_pct,
    100 * avg((cost > 0 AND cost < cost_before)::INT) FILTER (cost IS NOT NULL AND cost_before IS NOT NULL)
        AS cheaper_errand_pct
FROM (
    SELECT *, lag(cost) OVER (PARTITION BY game_id, round ORDER BY told, from_agent) AS cost_before
    FROM offers
)
JOIN games USING (game_id)
GROUP BY team, setting, condition
ORDER BY team, setting, condition
