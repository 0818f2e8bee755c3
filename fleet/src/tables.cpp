#include "tables.hpp"

namespace snapscope {
namespace {

#define SNAPSCOPE_SHARED                                                                                               \
    Column{"run_id", "VARCHAR", "", "the run: 32 hex digits"},                                                         \
        Column{"ingest", "VARCHAR", "", "the writing that brought it; joins a row to its row of `runs`"}, Column {     \
        "host", "VARCHAR", "", "name of the host that was recorded"                                                    \
    }

constexpr std::array runs{
    SNAPSCOPE_SHARED,
    Column{"start_time", "TIMESTAMP", "UTC", "when the recording began"},
    Column{"duration_s", "DOUBLE", "s", "how long it lasted"},
    Column{"finished", "BOOLEAN", "", "false: the recording was cut off"},
    Column{"tool_version", "VARCHAR", "", "snapscope that recorded"},
    Column{"arch", "VARCHAR", "", "machine architecture"},
    Column{"cpu_model", "VARCHAR", "", "processor"},
    Column{"cpus", "BIGINT", "", "CPUs of the host; null where not known"},
    Column{"sockets", "BIGINT", "", "sockets of the host; null where not known"},
    Column{"kernel", "VARCHAR", "", "kernel release"},
    Column{"server_version", "VARCHAR", "", "of PostgreSQL, as the server says it"},
    Column{"server_version_num", "BIGINT", "", "the same as a number: 130016"},
    Column{"snapshot_cache", "VARCHAR", "", "off, copy, spin, lockfree; n/a: not a patched server"},
    Column{"max_connections", "BIGINT", "", "the setting"},
    Column{"backends", "BIGINT", "", "connected when the recording began"},
    Column{"clients", "BIGINT", "", "of the workload"},
    Column{"workload", "VARCHAR", "", "its command"},
    Column{"workload_valid", "BOOLEAN", "", "false: its figures must not be compared; null: there was none"},
    Column{"transactions", "UBIGINT", "", "of the workload"},
    Column{"snapshots_taken", "UBIGINT", "", "by the source in snapshot_source; a sum over runs is a sum"},
    Column{"snapshots_reused", "UBIGINT", "", "of them, from a copy"},
    Column{"snapshots_rebuilt", "UBIGINT", "", "of them, built for all"},
    Column{"snapshots_private", "UBIGINT", "", "of them, scanned for one"},
    Column{"snapshot_source", "VARCHAR", "", "whose counters these are"},
    Column{"lost", "UBIGINT", "", "records that sources lost, all together"},
    Column{"warnings", "BIGINT", "", "number of warnings"},
};

constexpr std::array metrics{
    SNAPSCOPE_SHARED,
    Column{"name", "VARCHAR", "", "a derived metric or a total: snapshot_ns, tps, snapshots_taken"},
    Column{"source", "VARCHAR", "", "who measured it; joins `sources`"},
    Column{"unit", "VARCHAR", "", "of the value"},
    Column{"value", "DOUBLE", "its unit", "over the whole run"},
};

constexpr std::array windows{
    SNAPSCOPE_SHARED,
    Column{"window_number", "BIGINT", "", "number of the window in the run, from 0"},
    Column{"start_ns", "BIGINT", "ns", "begin, from the run's start"},
    Column{"end_ns", "BIGINT", "ns", "end, from the run's start"},
    Column{"name", "VARCHAR", "", "the series"},
    Column{"source", "VARCHAR", "", "who measured it"},
    Column{"unit", "VARCHAR", "", "of the value"},
    Column{"value", "DOUBLE", "its unit", "null: not known for this window"},
};

constexpr std::array slots{
    SNAPSCOPE_SHARED,
    Column{"slot", "BIGINT", "", "number of the proc entry"},
    Column{"pid", "BIGINT", "", "its owner at the run's end"},
    Column{"backend", "VARCHAR", "", "kind of backend"},
    Column{"taken", "UBIGINT", "", "snapshots"},
    Column{"reused", "UBIGINT", "", "of them, from a copy"},
    Column{"rebuilt", "UBIGINT", "", "of them, built for all"},
    Column{"private_scans", "UBIGINT", "", "of them, scanned for one"},
    Column{"events_lost", "UBIGINT", "", "events that its ring had no place for"},
    Column{"run_ns", "BIGINT", "ns", "time on a CPU, by sched; null: not watched"},
    Column{"migrations", "UBIGINT", "", "moves to another CPU, by sched"},
    Column{"migrations_across_socket", "UBIGINT", "", "of them, to another socket"},
};

constexpr std::array lines{
    SNAPSCOPE_SHARED,
    Column{"name", "VARCHAR", "", "the array: PGXACT, xids, PGPROC"},
    Column{"stride_bytes", "UBIGINT", "bytes", "from one entry to the next"},
    Column{"entries", "UBIGINT", "", "of the array"},
    Column{"lines", "UBIGINT", "lines", "cache lines of 64 bytes that it spans"},
    Column{"straddling_entries", "UBIGINT", "", "entries that lie on two lines"},
    Column{"first_byte_in_line", "BIGINT", "bytes", "where in its line the first entry begins"},
};

constexpr std::array transfers{
    SNAPSCOPE_SHARED,
    Column{"name", "VARCHAR", "", "the matrix"},
    Column{"source", "VARCHAR", "", "who measured it"},
    Column{"unit", "VARCHAR", "", "of the count"},
    Column{"level", "VARCHAR", "", "what readers and writers are: core, llc, node, socket"},
    Column{"reader", "VARCHAR", "", "who got the line"},
    Column{"writer", "VARCHAR", "", "who had changed it"},
    Column{"count", "DOUBLE", "its unit", "of the cell; cells without any are left out"},
};

constexpr std::array histograms{
    SNAPSCOPE_SHARED,
    Column{"name", "VARCHAR", "", "what was measured: snapshot_duration"},
    Column{"source", "VARCHAR", "", "who measured it"},
    Column{"unit", "VARCHAR", "", "of the bounds"},
    Column{"label", "VARCHAR", "", "part of the whole, such as an outcome; empty: all"},
    Column{"low", "DOUBLE", "its unit", "a bucket holds values from here"},
    Column{"high", "DOUBLE", "its unit", "to below here; null: no bound"},
    Column{"count", "UBIGINT", "", "values in it; empty buckets are left out"},
};

constexpr std::array sources{
    SNAPSCOPE_SHARED,
    Column{"name", "VARCHAR", "", "ring, ebpf, mirror, sched, sql, ..."},
    Column{"kind", "VARCHAR", "", "evidence: counted, sampled, measured, inferred, emulated, modelled"},
    Column{"state", "VARCHAR", "", "active, degraded, unavailable"},
    Column{"reason", "VARCHAR", "", "why not active"},
    Column{"records", "UBIGINT", "", "kept"},
    Column{"lost", "UBIGINT", "", "lost, all ways together"},
};

#undef SNAPSCOPE_SHARED

constexpr std::array tables{
    LakeTable{"runs", "a row a run", runs},
    LakeTable{"metrics", "what a run says in one number each; not to be added up", metrics},
    LakeTable{"windows", "time series: a row a window and series", windows},
    LakeTable{"slots", "a row a proc entry that was seen", slots},
    LakeTable{"lines", "where the arrays lie: a row an array", lines},
    LakeTable{"transfers", "cache lines that went from a writer to a reader: a row a cell", transfers},
    LakeTable{"histograms", "a row a bucket; over runs with the same bounds, counts add up", histograms},
    LakeTable{"sources", "a row a source, what it could and could not tell", sources},
};

} // namespace

std::span<const LakeTable> lake_tables() {
    return tables;
}

std::string create_statement(const LakeTable& table) {
    std::string sql = std::string("CREATE TABLE ") + table.name + " (";
    for (const Column& column : table.columns)
        sql += std::string("\"") + column.name + "\" " + column.type + ", ";
    return sql + "\"month\" VARCHAR)";
}

} // namespace snapscope
