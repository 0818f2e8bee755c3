#include "anatomy_checks.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <set>

namespace snapscope::mirror {
namespace {

constexpr double least_share_of_empty_lists = 0.8;
constexpr std::uint32_t most_slots = 1U << 20U; // MAX_BACKENDS is 2^18 - 1 or 2^23 - 1; far more than any server has

template <typename Found, typename Expected>
tl::unexpected<Error> differs(const char* what, const Found& found, const Expected& expected) {
    return fail(fmt::format("{} is {}, expected {}", what, found, expected));
}

// Reads a T at ADDRESS into OUT.
template <typename T> Status take(const Memory& memory, Address address, T& out) {
    auto value = load<T>(memory, address);
    if (!value)
        return fail(value.error());
    out = *value;
    return {};
}

Status read_all(const Memory& memory, Address from, std::vector<std::byte>& to) {
    const Piece piece{from, to};
    return memory.read(std::span(&piece, 1));
}

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

Result<std::vector<std::uint32_t>> read_roster(const Examination& e) {
    const auto& a = e.anatomy;
    const auto count = load<std::uint32_t>(e.memory, a.proc_array);
    if (!count)
        return fail(count.error());
    if (*count > a.max_roster())
        return fail(fmt::format("numProcs of the proc array is {}, expected at most {}", *count, a.max_roster()));
    std::vector<std::uint32_t> roster(*count);
    const Piece piece{a.roster(), std::as_writable_bytes(std::span(roster))};
    SNAPSCOPE_TRY(e.memory.read(std::span(&piece, 1)));
    for (std::size_t i = 0; i < roster.size(); ++i) {
        if (roster[i] >= a.slots || (roster[i] >= a.max_backends && roster[i] < a.all_proc_count))
            return fail(fmt::format("the proc array lists slot {}, expected one of {} that a transaction may have",
                                    roster[i], a.slots));
        if (i > 0 && roster[i] <= roster[i - 1])
            return fail(fmt::format("the proc array lists slot {} after {}, expected a rising order", roster[i],
                                    roster[i - 1]));
    }
    return roster;
}

// The pids of the backends in the roster; prepared transactions have none.
Result<std::set<pid_t>> roster_pids(const Examination& e) {
    const auto roster = read_roster(e);
    if (!roster)
        return fail(roster.error());
    std::set<pid_t> pids;
    for (const std::uint32_t slot : *roster) {
        pid_t pid = 0;
        SNAPSCOPE_TRY(take(
            e.memory, e.anatomy.all_procs + std::uint64_t{slot} * e.anatomy.layout.pgproc_bytes + e.anatomy.layout.pid,
            pid));
        if (slot >= e.anatomy.all_proc_count && pid != 0)
            return differs("the pid of a prepared transaction", pid, 0);
        if (slot < e.anatomy.all_proc_count && !pids.insert(pid).second)
            return differs("the pid of two backends", pid, "two different ones");
    }
    return pids;
}

// Who stands in the roster before and after a look at the processes was there all the time.
Status roster_children(Examination& e) {
    const auto before = roster_pids(e);
    if (!before)
        return fail(before.error());
    const auto children = e.facts.children();
    const auto after = roster_pids(e);
    if (!after)
        return fail(after.error());
    for (const pid_t pid : *before)
        if (after->contains(pid) && std::ranges::find(children, pid) == children.end())
            return differs("the pid of a backend", pid, "a child of the postmaster");
    return {};
}

// Whether entry AT of the dense arrays and the PGPROC of SLOT point at each other and agree.
Status check_link(const Examination& e, std::uint32_t at, std::uint32_t slot) {
    const auto& a = e.anatomy;
    const Layout& l = a.layout;
    std::vector<std::byte> proc(l.pgproc_bytes);
    std::uint32_t xid = 0;
    std::uint16_t subxids = 0;
    std::uint8_t flags = 0;
    const std::array pieces{Piece{a.xids + std::uint64_t{at} * 4, std::as_writable_bytes(std::span(&xid, 1))},
                            Piece{a.subxids + std::uint64_t{at} * 2, std::as_writable_bytes(std::span(&subxids, 1))},
                            Piece{a.flags + at, std::as_writable_bytes(std::span(&flags, 1))},
                            Piece{a.all_procs + std::uint64_t{slot} * l.pgproc_bytes, proc}};
    SNAPSCOPE_TRY(e.memory.read(pieces));
    if (const auto own = field_at<std::uint32_t>(proc, *l.pgxactoff); own != at)
        return differs("pgxactoff of a backend", own, at);
    if (const auto own = field_at<std::uint32_t>(proc, *l.proc_xid); own != xid)
        return differs("xid of a backend", own, xid);
    if (const auto own = field_at<std::uint8_t>(proc, *l.proc_status_flags); own != flags)
        return differs("statusFlags of a backend", own, flags);
    if (const auto own = field_at<std::uint16_t>(proc, *l.subxid_status); own != subxids)
        return differs("subxidStatus of a backend", own, subxids);
    return {};
}

// 14+; on a busy server an entry changes while it is read, but not each time.
Status dense_links(Examination& e) {
    constexpr int tries = 20;
    if (!e.anatomy.layout.xids)
        return {};
    const auto roster = read_roster(e);
    if (!roster)
        return fail(roster.error());
    for (std::uint32_t at = 0; at < roster->size(); ++at) {
        auto link = check_link(e, at, (*roster)[at]);
        for (int i = 1; !link && i < tries; ++i)
            link = check_link(e, at, (*roster)[at]);
        if (!link)
            return link;
    }
    return {};
}

// 13: what no entry of PGXACT can hold; that each entry is its slot's only a session of ours proves.
Status pgxact_words(Examination& e) {
    constexpr std::uint32_t most_subxids = 64;
    const auto& a = e.anatomy;
    const Layout& l = a.layout;
    if (!l.all_pgxact)
        return {};
    std::uint64_t next = 0;
    std::vector<std::byte> entries(std::size_t{*l.pgxact_bytes} * a.slots);
    SNAPSCOPE_TRY(read_all(e.memory, a.pgxact, entries));
    SNAPSCOPE_TRY(take(e.memory, a.variable_cache + l.next_xid, next));
    const auto is_future = [&](std::uint32_t xid) {
        return xid != 0 && static_cast<std::int32_t>(static_cast<std::uint32_t>(next) - xid) < 0;
    };
    for (std::uint32_t slot = 0; slot < a.slots; ++slot) {
        const auto entry = std::span<const std::byte>(entries).subspan(std::size_t{*l.pgxact_bytes} * slot);
        for (const Offset at : {*l.pgxact_xid, *l.pgxact_xmin})
            if (const auto xid = field_at<std::uint32_t>(entry, at); is_future(xid))
                return differs("an xid of PGXACT", xid, fmt::format("at most {}", next));
        if (const auto overflowed = field_at<std::uint8_t>(entry, *l.pgxact_overflowed); overflowed > 1)
            return differs("overflowed of PGXACT", overflowed, "0 or 1");
        if (const auto subxids = field_at<std::uint8_t>(entry, *l.pgxact_subxids); subxids > most_subxids)
            return differs("nxids of PGXACT", subxids, fmt::format("at most {}", most_subxids));
    }
    return {};
}

Status xid_limits(Examination& e) {
    const auto& a = e.anatomy;
    const Layout& l = a.layout;
    std::uint64_t next = 0;
    std::uint32_t oldest = 0;
    std::uint32_t limit = 0;
    std::uint32_t completed = 0;
    SNAPSCOPE_TRY(take(e.memory, a.variable_cache + l.latest_completed_xid, completed));
    SNAPSCOPE_TRY(take(e.memory, a.variable_cache + l.next_xid, next));
    SNAPSCOPE_TRY(take(e.memory, a.variable_cache + l.oldest_xid, oldest));
    SNAPSCOPE_TRY(take(e.memory, a.variable_cache + l.xid_wrap_limit, limit));
    // Three xids are never given out: a limit that falls on one is moved on.
    constexpr std::uint32_t half = 0x7fffffff;
    constexpr std::uint32_t never_given = 3;
    if (limit - oldest != half && limit - oldest != half + never_given)
        return differs("xidWrapLimit - oldestXid", limit - oldest, half);
    const auto behind = static_cast<std::uint32_t>(next) - completed;
    if (behind == 0 || behind > half || completed < never_given - 1)
        return differs("latestCompletedXid", completed, fmt::format("less than nextXid {}", next));
    if (l.all_pgxact) // 13 keeps it without its epoch
        return {};
    std::uint64_t whole = 0;
    SNAPSCOPE_TRY(take(e.memory, a.variable_cache + l.latest_completed_xid, whole));
    SNAPSCOPE_TRY(take(e.memory, a.variable_cache + l.next_xid, next));
    if (next <= whole || next - whole > half)
        return differs("latestCompletedXid", whole, fmt::format("less than nextXid {}", next));
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
