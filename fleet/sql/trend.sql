-- One number of every run, in the order in which a host's runs were made.
-- Runs of one series share host, mode, max_connections and clients: what is
-- compared over time was run under the same conditions.
SELECT
    m.name AS metric,
    m.source AS source,
    m.unit AS unit,
    r.host AS host,
    r.snapshot_cache AS mode,
    r.max_connections AS max_connections,
    r.clients AS clients,
    r.start_time AS start_time,
    r.run_id AS run_id,
    m.value AS value
FROM metrics m
JOIN runs r ON r.run_id = m.run_id AND r.ingest = m.ingest
WHERE r.finished AND (r.workload_valid OR r.workload_valid IS NULL) AND m.value > 0
ORDER BY host, mode, max_connections, clients, source, start_time, run_id
