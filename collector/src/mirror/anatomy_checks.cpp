#include "anatomy_checks.hpp"

#include "check_tools.hpp"
#include "moving_checks.hpp"

#include <array>

namespace snapscope::mirror {
namespace {

constexpr double least_share_of_empty_lists = 0.8;
constexpr std::uint32_t most_slots = 1U << 20U; // MAX_BACKENDS is 2^18 - 1 or 2^23 - 1; far more than any server has

Status segment_header(Examination& e) {
    const auto header = read_segment_header(e.memory, e.facts.segment);
    if (!header)
        return fail(header.error());
    if (header->magic != segment_magic)
        return differs("the segment's magic number", header->magic, segment_magic);
    if (header->creator != e.facts.creator)
        return differs("the segment's creator", header->creator, e.facts.creator);
    if (header->bytes > e.facts.segment.bytes())
        return differs("the segment's size", header->bytes, fmt::format("at most {}", e.facts.segment.bytes()));
    std::vector<std::string> names{"Proc Header", "Proc Array"};
    if (e.anatomy.layout.variables_bytes)
        names.emplace_back("TransamVariables");
    if (e.anatomy.layout.major >= 18)
        names.emplace_back("PGPROC structures");
    auto index = read_index(e.memory, e.facts.segment, header->index, names);
    if (!index)
        return fail(index.error());
    for (const auto& name : names)
        if (!index->contains(name))
            return fail(fmt::format("the index of shared memory has no entry {}, expected one", name));
    e.index = std::move(*index);
    return {};
}

Status proc_header(Examination& e) {
    auto& a = e.anatomy;
    SNAPSCOPE_TRY(take(e.memory, e.facts.variables.proc_global, a.proc_hdr));
    const IndexEntry& entry = e.index.at("Proc Header");
    if (entry.location != a.proc_hdr)
        return differs("ProcGlobal", fmt::format("{:#x}", a.proc_hdr), fmt::format("{:#x}", entry.location));
    if (entry.bytes != a.layout.proc_hdr_bytes)
        return differs("the size of PROC_HDR", entry.bytes, a.layout.proc_hdr_bytes);
    return {};
}

Status transam_variables(Examination& e) {
    auto& a = e.anatomy;
    SNAPSCOPE_TRY(take(e.memory, e.facts.variables.variable_cache, a.variable_cache));
    if (!a.layout.variables_bytes)
        return {};
    const IndexEntry& entry = e.index.at("TransamVariables");
    if (entry.location != a.variable_cache)
        return differs("TransamVariables", fmt::format("{:#x}", a.variable_cache),
                       fmt::format("{:#x}", entry.location));
    if (entry.bytes != *a.layout.variables_bytes)
        return differs("the size of TransamVariablesData", entry.bytes, *a.layout.variables_bytes);
    return {};
}

// The counts that size the arrays, and what is left for autovacuum.
Status backend_counts(Examination& e) {
    auto& a = e.anatomy;
    SNAPSCOPE_TRY(take(e.memory, e.facts.variables.max_backends, a.max_backends));
    SNAPSCOPE_TRY(take(e.memory, e.facts.variables.max_connections, a.max_connections));
    SNAPSCOPE_TRY(take(e.memory, e.facts.variables.max_worker_processes, a.max_worker_processes));
    SNAPSCOPE_TRY(take(e.memory, e.facts.variables.max_wal_senders, e.max_wal_senders));
    SNAPSCOPE_TRY(take(e.memory, e.facts.variables.max_prepared_xacts, e.max_prepared_xacts));
    SNAPSCOPE_TRY(take(e.memory, a.proc_hdr + a.layout.all_proc_count, a.all_proc_count));
    for (const std::uint32_t count : {a.max_backends, a.max_connections, a.max_worker_processes, e.max_wal_senders,
                                      e.max_prepared_xacts, a.all_proc_count})
        if (count > most_slots)
            return differs("a count of backends", count, fmt::format("at most {}", most_slots));
    const std::uint32_t others = a.max_connections + a.max_worker_processes + e.max_wal_senders;
    if (a.max_backends <= others)
        return differs("MaxBackends", a.max_backends, fmt::format("more than {}", others));
    a.autovacuum_slots = a.max_backends - others;
    if (a.all_proc_count != a.max_backends + a.layout.auxiliary_procs)
        return differs("allProcCount", a.all_proc_count, a.max_backends + a.layout.auxiliary_procs);
    a.slots = a.all_proc_count + e.max_prepared_xacts;
    return {};
}

// A pointer in PROC_HDR to an array that must lie in the segment as a whole.
Status take_array(Examination& e, const char* name, Offset member, std::uint64_t stride, Address& out) {
    SNAPSCOPE_TRY(take(e.memory, e.anatomy.proc_hdr + member, out));
    const std::uint64_t bytes = stride * e.anatomy.slots;
    if (!e.facts.segment.holds(out, bytes))
        return differs(name, fmt::format("{:#x} with {} bytes", out, bytes),
                       fmt::format("inside {:#x}-{:#x}", e.facts.segment.start, e.facts.segment.end));
    return {};
}

Status arrays_inside(Examination& e) {
    auto& a = e.anatomy;
    const Layout& l = a.layout;
    SNAPSCOPE_TRY(take_array(e, "allProcs", l.all_procs, l.pgproc_bytes, a.all_procs));
    if (l.all_pgxact)
        SNAPSCOPE_TRY(take_array(e, "allPgXact", *l.all_pgxact, *l.pgxact_bytes, a.pgxact));
    if (l.xids) {
        SNAPSCOPE_TRY(take_array(e, "xids", *l.xids, 4, a.xids));
        SNAPSCOPE_TRY(take_array(e, "subxidStates", *l.subxid_states, 2, a.subxids));
        SNAPSCOPE_TRY(take_array(e, "statusFlags", *l.status_flags, 1, a.flags));
    }
    if (!e.facts.segment.holds(a.variable_cache, 64))
        return differs("the address of the xid counters", fmt::format("{:#x}", a.variable_cache), "inside the segment");
    return {};
}

Status pgproc_structures(Examination& e) {
    const auto entry = e.index.find("PGPROC structures");
    if (entry == e.index.end())
        return {};
    const auto& a = e.anatomy;
    // One xid, one state of subxids and one byte of flags go with each.
    const std::uint64_t bytes = std::uint64_t{a.slots} * (a.layout.pgproc_bytes + 4 + 2 + 1);
    if (entry->second.location != a.all_procs)
        return differs("allProcs", fmt::format("{:#x}", a.all_procs), fmt::format("{:#x}", entry->second.location));
    if (entry->second.bytes != bytes)
        return differs("the size of PGPROC structures", entry->second.bytes, bytes);
    return {};
}

Status pgproc_stride(Examination& e) {
    const auto& a = e.anatomy;
    const Layout& l = a.layout;
    std::vector<std::byte> procs(std::size_t{l.pgproc_bytes} * a.all_proc_count);
    SNAPSCOPE_TRY(read_all(e.memory, a.all_procs, procs));
    std::uint64_t empty = 0;
    for (std::uint32_t slot = 0; slot < a.all_proc_count; ++slot) {
        const std::size_t at = std::size_t{l.pgproc_bytes} * slot;
        const auto proc = std::span<const std::byte>(procs).subspan(at, l.pgproc_bytes);
        if (l.pgprocno && field_at<std::uint32_t>(proc, *l.pgprocno) != slot)
            return differs("pgprocno of an entry", field_at<std::uint32_t>(proc, *l.pgprocno), slot);
        const auto list = field_at<std::uint64_t>(proc, l.procgloballist);
        if (list != 0 && (list < a.proc_hdr || list >= a.proc_hdr + l.proc_hdr_bytes))
            return differs("procgloballist of an entry", fmt::format("{:#x}", list), "null or inside PROC_HDR");
        for (std::uint32_t i = 0; i < lock_partitions; ++i) {
            // An empty list's head points to itself, both ways.
            const std::size_t head = l.my_proc_locks + std::size_t{i} * list_head_bytes;
            if (field_at<std::uint64_t>(proc, head) == a.all_procs + at + head &&
                field_at<std::uint64_t>(proc, head + 8) == a.all_procs + at + head)
                ++empty;
        }
    }
    const double share = static_cast<double>(empty) / lock_partitions / a.all_proc_count;
    if (share <= least_share_of_empty_lists)
        return differs("the share of empty lists of locks", fmt::format("{:.2f}", share),
                       fmt::format("more than {}", least_share_of_empty_lists));
    return {};
}

Status proc_array(Examination& e) {
    auto& a = e.anatomy;
    const IndexEntry& entry = e.index.at("Proc Array");
    a.proc_array = entry.location;
    std::uint32_t most = 0;
    SNAPSCOPE_TRY(take(e.memory, a.proc_array + 4, most));
    if (most != a.max_backends + e.max_prepared_xacts)
        return differs("maxProcs of the proc array", most, a.max_backends + e.max_prepared_xacts);
    if (entry.bytes != a.layout.roster + std::uint64_t{4} * most)
        return differs("the size of the proc array", entry.bytes, a.layout.roster + std::uint64_t{4} * most);
    return {};
}

Status lock_tranches(Examination& e) {
    auto& a = e.anatomy;
    Address locks = 0;
    SNAPSCOPE_TRY(take(e.memory, e.facts.variables.main_lwlocks, locks));
    a.lock = locks + std::uint64_t{proc_array_lock} * lock_stride;
    if (!e.facts.segment.holds(locks, std::uint64_t{proc_array_lock + 1} * lock_stride))
        return differs("MainLWLockArray", fmt::format("{:#x}", locks), "inside the segment");
    for (const std::uint32_t number : {xid_gen_lock, proc_array_lock}) {
        std::uint16_t tranche = 0;
        SNAPSCOPE_TRY(take(e.memory, locks + std::uint64_t{number} * lock_stride + lock_tranche, tranche));
        if (tranche != number)
            return differs("the tranche of a lock", tranche, number);
    }
    return {};
}

constexpr std::array<Check, 13> checks{{
    {"segment_header", segment_header, false},
    {"proc_header", proc_header, false},
    {"transam_variables", transam_variables, false},
    {"backend_counts", backend_counts, false},
    {"arrays_inside", arrays_inside, false},
    {"pgproc_structures", pgproc_structures, false},
    {"pgproc_stride", pgproc_stride, true},
    {"proc_array", proc_array, false},
    {"roster_children", roster_children, true},
    {"dense_links", dense_links, true},
    {"pgxact_words", pgxact_words, true},
    {"xid_limits", xid_limits, true},
    {"lock_tranches", lock_tranches, false},
}};

} // namespace

std::span<const Check> anatomy_checks() {
    return checks;
}

} // namespace snapscope::mirror
