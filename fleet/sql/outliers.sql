-- What a snapshot cost in every run, and how many connections there were.
-- Two costs: the metric snapshot_ns, and the cache lines that went from a
-- writer to another reader, per snapshot, by source and level.
SELECT
    m.name AS metric,
    m.source AS source,
    r.snapshot_cache AS mode,
    r.host AS host,
    r.run_id AS run_id,
    CASE WHEN r.backends IS NULL THEN r.max_connections ELSE r.backends END AS connections,
    m.value AS value
FROM metrics m
JOIN runs r ON r.run_id = m.run_id AND r.ingest = m.ingest
WHERE r.finished AND m.name IN ('snapshot_ns', 'cross_socket_events_per_snapshot') AND m.value > 0
UNION ALL
SELECT
    'transfers_per_snapshot' AS metric,
    t.source || ' by ' || t.level AS source,
    t.mode AS mode,
    t.host AS host,
    t.run_id AS run_id,
    t.connections AS connections,
    t.transferred / t.snapshots AS value
FROM (
    SELECT
        x.source AS source,
        x.level AS level,
        r.snapshot_cache AS mode,
        r.host AS host,
        r.run_id AS run_id,
        CASE WHEN r.backends IS NULL THEN r.max_connections ELSE r.backends END AS connections,
        CAST(r.snapshots_taken AS DOUBLE) AS snapshots,
        SUM(x.count) AS transferred
    FROM transfers x
    JOIN runs r ON r.run_id = x.run_id AND r.ingest = x.ingest
    WHERE r.finished AND r.snapshots_taken > 0 AND x.reader <> x.writer
    GROUP BY x.source, x.level, r.snapshot_cache, r.host, r.run_id, r.backends, r.max_connections, r.snapshots_taken
) t
WHERE t.transferred > 0
