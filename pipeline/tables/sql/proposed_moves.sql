-- What proposals would displace: one row per team, setting and condition, over all its games together.
-- A proposal is a slot that one agent offers in one round (sql/shared/offers.sql). Shares are in %. The cheaper slot is
-- of feasible proposals: another feasible slot had cost the participants less in all. The cheaper errand is of feasible
-- proposals right after another: errands that the new one displaces cost less than those of the one before, but not 0.
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
