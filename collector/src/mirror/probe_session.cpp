#include "probe_session.hpp"

#include "dense_reader.hpp"
#include "proc_reader.hpp"

#include <snapscope/base/text.hpp>

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <thread>

namespace snapscope::mirror {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds query_timeout{2000};
constexpr milliseconds between_looks{5};
constexpr std::uint64_t subxid_state_bytes = 2; // count and whether there are more
constexpr int looks = 100;                      // until the session is idle again, and a torn sample is whole

// A message in the log of writes needs an xid of the innermost transaction, and nothing else.
constexpr const char* begin_sql =
    "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT pg_catalog.txid_current(); "
    "SAVEPOINT snapscope; SELECT pg_catalog.pg_logical_emit_message(true, 'snapscope', '')";
constexpr const char* state_sql = "SELECT pid, backend_xid, backend_xmin, datid, usesysid FROM "
                                  "pg_catalog.pg_stat_activity WHERE pid = pg_catalog.pg_backend_pid()";

tl::unexpected<Error> no_proof(const std::string& why) {
    return fail(Error{ErrorClass::unavailable, why, ""});
}

Result<SessionState> told_by(SqlConnection& login) {
    if (const auto begun = login.query(begin_sql, query_timeout); !begun)
        return no_proof(begun.error().what);
    const auto rows = login.query(state_sql, query_timeout);
    if (!rows)
        return no_proof(rows.error().what);
    std::vector<std::uint32_t> values;
    if (rows->size() == 1)
        for (const auto& text : rows->front())
            if (const auto value = parse_integer<std::uint32_t>(text))
                values.push_back(*value);
    if (values.size() != 5)
        return no_proof("the server does not tell the probe session its own state");
    SessionState state;
    state.pid = static_cast<std::int32_t>(values[0]);
    state.xid = values[1];
    state.xmin = values[2];
    state.database = values[3];
    state.role = values[4];
    state.subxids = 1;
    state.idle = true;
    return state;
}

tl::unexpected<Error> contradicted(const std::string& what) {
    return fail("check probe_session failed: " + what,
                "this build lays its proc array out in a way that is not known here; report its version");
}

Status compare(const Memory& memory, const Anatomy& anatomy, const SessionState& told) {
    std::string last;
    for (int look = 0; look < looks; ++look) {
        const auto mirrored = find_session(memory, anatomy, told.pid);
        if (!mirrored)
            return no_proof(mirrored.error().what);
        if (!*mirrored)
            last.clear();
        else if (last = difference(**mirrored, told); last.empty())
            return {};
        std::this_thread::sleep_for(between_looks);
    }
    if (last.empty())
        return no_proof("the login's session is not in this server's proc array");
    return contradicted(last);
}

} // namespace

std::string difference(const SessionState& mirrored, const SessionState& told) {
    std::string text;
    const auto look = [&](const char* name, auto found, auto expected) {
        if (found != expected)
            text += fmt::format("{}{} is {}, expected {}", text.empty() ? "" : "; ", name, found, expected);
    };
    look("pid", mirrored.pid, told.pid);
    look("xid", mirrored.xid, told.xid);
    look("xmin", mirrored.xmin, told.xmin);
    look("database", mirrored.database, told.database);
    look("role", mirrored.role, told.role);
    look("the count of subtransactions", mirrored.subxids, told.subxids);
    look("waiting for its client", mirrored.idle, told.idle);
    return text;
}

std::string contradiction(const Counters& before, const Counters& after, std::uint32_t xid) {
    constexpr std::uint64_t taken = 2; // xids of a probe session
    const auto reached = [&](std::uint64_t counter) {
        return static_cast<std::int32_t>(static_cast<std::uint32_t>(counter) - xid) >= 0;
    };
    if (after.next_xid < before.next_xid + taken || !reached(after.next_xid))
        return fmt::format("nextXid went from {} to {} over xid {}", before.next_xid, after.next_xid, xid);
    if (!reached(after.latest_completed_xid))
        return fmt::format("latestCompletedXid is {} after the end of xid {}", after.latest_completed_xid, xid);
    if (after.completion_count && *after.completion_count <= before.completion_count.value_or(0))
        return fmt::format("the completion count stayed {} over an end", *after.completion_count);
    return {};
}

Result<std::optional<SessionState>> find_session(const Memory& memory, const Anatomy& anatomy, std::int32_t pid) {
    constexpr std::uint32_t client_class = 0x06;
    DenseReader dense(anatomy);
    ProcReader procs(anatomy);
    SNAPSCOPE_TRY(dense.look(memory));
    SNAPSCOPE_TRY(procs.look(memory));
    const auto proc = std::ranges::find(procs.seen().slots, pid, &ProcSlot::pid);
    if (proc == procs.seen().slots.end())
        return std::nullopt;
    const auto& slots = dense.seen().slots;
    const auto entry = std::ranges::find(slots, proc->slot, &DenseSlot::slot);
    if (entry == slots.end())
        return std::nullopt;
    std::uint8_t subxids = entry->subxids;
    if (anatomy.layout.subxid_states) {
        const auto place = static_cast<std::uint64_t>(entry - slots.begin());
        const auto count = load<std::uint8_t>(memory, anatomy.subxids + place * subxid_state_bytes);
        if (!count)
            return fail(count.error());
        subxids = *count;
    }
    SessionState state;
    state.pid = proc->pid;
    state.xid = entry->xid;
    state.xmin = anatomy.layout.proc_xmin ? proc->xmin : entry->xmin;
    state.database = proc->database;
    state.role = proc->role;
    state.subxids = subxids;
    state.idle = proc->wait_event >> 24U == client_class;
    return state;
}

Status prove(const Memory& memory, const Anatomy& anatomy, SqlConnection& login) {
    const auto before = read_counters(memory, anatomy);
    const auto told = told_by(login);
    auto result = told ? compare(memory, anatomy, *told) : Status(fail(told.error()));
    // Whatever was found: nothing of it stays.
    const auto ended = login.query("ROLLBACK", query_timeout);
    const auto after = read_counters(memory, anatomy);
    if (!result)
        return result;
    if (!before || !after || !ended)
        return no_proof("the server could not be read during the probe session");
    const auto wrong = contradiction(*before, *after, told->xid);
    return wrong.empty() ? Status() : contradicted(wrong);
}

} // namespace snapscope::mirror
