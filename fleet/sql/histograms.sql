-- Durations of all runs together, by host and mode: counts of equal buckets
-- add up exactly, whatever engine adds them.
SELECT
    r.host AS host,
    r.snapshot_cache AS mode,
    h.name AS name,
    h.source AS source,
    h.unit AS unit,
    h.label AS label,
    h.low AS low,
    h.high AS high,
    SUM(h.count) AS count
FROM histograms h
JOIN runs r ON r.run_id = h.run_id AND r.ingest = h.ingest
GROUP BY r.host, r.snapshot_cache, h.name, h.source, h.unit, h.label, h.low, h.high
ORDER BY host, mode, name, source, label, low
