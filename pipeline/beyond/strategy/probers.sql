-- One row per game with a prober: its messages, those that an induced leak is in, the labels that the prober itself was
-- told, each once, and the messages that answer a question of its, with a label or a refusal (what simulated speakers
-- mean is known: docs/styles.md).

WITH
    leaked AS (
        SELECT
            l.game_id,
            count(DISTINCT l.event_index) FILTER (l.induced) AS induced,
            count(DISTINCT (l.from_agent, l.kind, l.item_id)) FILTER (l.induced AND a.nosy) AS labels
        FROM leaks l
        JOIN agents a ON a.game_id = l.game_id AND a.agent = l.to_agent
        GROUP BY ALL
    ),
    answered AS (
        SELECT m.game_id, count(*) AS questions
        FROM intents i
        JOIN messages m ON m.game_id = i.game_id AND m.event_index = i.event_index
        JOIN agents a ON a.game_id = m.game_id AND a.agent = m.to_agents[1]
        WHERE a.nosy AND i.act IN ('refuse_probe', 'label_leak', 'label_leak_meeting')
        GROUP BY ALL
    )
SELECT
    g.game_id,
    g.team,
    g.task_id,
    g.repeat,
    1 AS games,
    g.dms AS messages,
    coalesce(l.induced, 0) AS induced,
    coalesce(l.labels, 0) AS labels,
    coalesce(q.questions, 0) AS questions
FROM games g
LEFT JOIN leaked l USING (game_id)
LEFT JOIN answered q USING (game_id)
WHERE g.condition = 'adversarial' AND g.simulated AND NOT g.stopped
ORDER BY g.game_id
