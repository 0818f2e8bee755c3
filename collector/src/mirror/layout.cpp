#include "layout.hpp"

#include <snapscope/base/text.hpp>

#include <array>
#include <fmt/format.h>

namespace snapscope::mirror {
namespace {

constexpr Layout layout_13() {
    Layout l;
    l.major = 13;
    l.auxiliary_procs = 4;
    l.proc_hdr_bytes = 104;
    l.all_procs = 0;
    l.all_pgxact = 8;
    l.all_proc_count = 16;
    l.pgproc_bytes = 856;
    l.procgloballist = 16;
    l.lxid = 48;
    l.pid = 52;
    l.pgprocno = 56;
    l.database = 64;
    l.role = 68;
    l.my_proc_locks = 160;
    l.wait_event_info = 684;
    l.pgxact_bytes = 12;
    l.pgxact_xid = 0;
    l.pgxact_xmin = 4;
    l.pgxact_flags = 8;
    l.pgxact_overflowed = 9;
    l.pgxact_subxids = 10;
    l.next_xid = 8;
    l.oldest_xid = 16;
    l.xid_wrap_limit = 32;
    l.latest_completed_xid = 48;
    l.roster = 40;
    l.exclusive_bit = 1U << 24U;
    l.shared_mask = (1U << 24U) - 1;
    return l;
}

constexpr Layout layout_14() {
    Layout l;
    l.major = 14;
    l.auxiliary_procs = 5;
    l.proc_hdr_bytes = 120;
    l.all_procs = 0;
    l.xids = 8;
    l.subxid_states = 16;
    l.status_flags = 24;
    l.all_proc_count = 32;
    l.pgproc_bytes = 880;
    l.procgloballist = 16;
    l.proc_xid = 52;
    l.proc_xmin = 56;
    l.lxid = 60;
    l.pid = 64;
    l.pgxactoff = 68;
    l.pgprocno = 72;
    l.database = 80;
    l.role = 84;
    l.proc_status_flags = 145;
    l.my_proc_locks = 184;
    l.subxid_status = 440;
    l.wait_event_info = 712;
    l.next_xid = 8;
    l.oldest_xid = 16;
    l.xid_wrap_limit = 32;
    l.latest_completed_xid = 48;
    l.completion_count = 56;
    l.snapshot_completion_count = 112;
    l.roster = 40;
    l.exclusive_bit = 1U << 24U;
    l.shared_mask = (1U << 24U) - 1;
    return l;
}

constexpr Layout layout_15() {
    Layout l = layout_14();
    l.major = 15;
    l.proc_hdr_bytes = 104;
    l.proc_status_flags = 148;
    return l;
}

constexpr Layout layout_16() {
    Layout l = layout_15();
    l.major = 16;
    l.proc_hdr_bytes = 136;
    return l;
}

constexpr Layout layout_17() {
    Layout l = layout_16();
    l.major = 17;
    l.auxiliary_procs = 6;
    l.pgproc_bytes = 888;
    l.pid = 60;
    l.pgxactoff = 64;
    l.pgprocno.reset();
    l.lxid = 72;
    l.database = 76;
    l.role = 80;
    l.variables_bytes = 72;
    l.roster = 36;
    return l;
}

constexpr Layout layout_18() {
    Layout l = layout_17();
    l.major = 18;
    l.auxiliary_procs = 38;
    l.proc_hdr_bytes = 128;
    l.pgproc_bytes = 832;
    l.snapshot_completion_count = 96;
    l.exclusive_bit = 1U << 18U;
    l.shared_mask = (1U << 18U) - 1;
    return l;
}

constexpr std::array<Layout, 6> table{layout_13(), layout_14(), layout_15(), layout_16(), layout_17(), layout_18()};
static_assert(table.size() == last_major - first_major + 1);

constexpr LayoutField required(const char* type, const char* name, Offset Layout::*member) {
    return {type, name, member, nullptr};
}
constexpr LayoutField optional(const char* type, const char* name, std::optional<Offset> Layout::*member) {
    return {type, name, nullptr, member};
}

constexpr std::array fields{
    required("PROC_HDR", "", &Layout::proc_hdr_bytes),
    required("PROC_HDR", "allProcs", &Layout::all_procs),
    required("PROC_HDR", "allProcCount", &Layout::all_proc_count),
    optional("PROC_HDR", "allPgXact", &Layout::all_pgxact),
    optional("PROC_HDR", "xids", &Layout::xids),
    optional("PROC_HDR", "statusFlags", &Layout::status_flags),
    optional("PROC_HDR", "subxidStates", &Layout::subxid_states),
    required("PGPROC", "", &Layout::pgproc_bytes),
    required("PGPROC", "procgloballist", &Layout::procgloballist),
    required("PGPROC", "pid", &Layout::pid),
    required("PGPROC", "databaseId", &Layout::database),
    required("PGPROC", "roleId", &Layout::role),
    required("PGPROC", "myProcLocks", &Layout::my_proc_locks),
    required("PGPROC", "wait_event_info", &Layout::wait_event_info),
    required("PGPROC", "lxid", &Layout::lxid),
    optional("PGPROC", "pgprocno", &Layout::pgprocno),
    optional("PGPROC", "xid", &Layout::proc_xid),
    optional("PGPROC", "xmin", &Layout::proc_xmin),
    optional("PGPROC", "pgxactoff", &Layout::pgxactoff),
    optional("PGPROC", "statusFlags", &Layout::proc_status_flags),
    optional("PGPROC", "subxidStatus", &Layout::subxid_status),
    optional("PGXACT", "", &Layout::pgxact_bytes),
    optional("PGXACT", "xid", &Layout::pgxact_xid),
    optional("PGXACT", "xmin", &Layout::pgxact_xmin),
    optional("PGXACT", "vacuumFlags", &Layout::pgxact_flags),
    optional("PGXACT", "overflowed", &Layout::pgxact_overflowed),
    optional("PGXACT", "nxids", &Layout::pgxact_subxids),
    required("VariableCacheData", "nextXid", &Layout::next_xid),
    required("VariableCacheData", "oldestXid", &Layout::oldest_xid),
    required("VariableCacheData", "xidWrapLimit", &Layout::xid_wrap_limit),
    required("VariableCacheData", "latestCompletedXid", &Layout::latest_completed_xid),
    optional("VariableCacheData", "xactCompletionCount", &Layout::completion_count),
    optional("VariableCacheData", "", &Layout::variables_bytes),
    optional("SnapshotData", "snapXactCompletionCount", &Layout::snapshot_completion_count),
    required("ProcArrayStruct", "pgprocnos", &Layout::roster),
};

} // namespace

std::span<const LayoutField> layout_fields() {
    return fields;
}

Result<int> supported_major(std::string_view version) {
    const auto major = parse_integer<int>(version.substr(0, version.find_first_not_of("0123456789")));
    if (!major || *major < first_major || *major > last_major)
        return fail(Error{ErrorClass::unavailable,
                          fmt::format("the proc array of PostgreSQL {} is not known here", version),
                          fmt::format("versions {} to {} are", first_major, last_major)});
    return *major;
}

const Layout& table_layout(int major) {
    return table.at(static_cast<std::size_t>(major - first_major));
}

} // namespace snapscope::mirror
