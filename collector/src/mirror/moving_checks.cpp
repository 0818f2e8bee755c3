#include "moving_checks.hpp"

#include "check_tools.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace snapscope::mirror {
namespace {

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

} // namespace

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

} // namespace snapscope::mirror
