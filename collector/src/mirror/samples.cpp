#include "samples.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace snapscope::mirror {
namespace {

constexpr std::size_t variables_span = 64; // all that is read of the counters lies in it
constexpr std::uint32_t room_to_spare = 16;
// Beyond so many slots one copy of the whole array is cheaper than a piece a slot.
constexpr std::uint32_t most_pieces = 300;

Counters counters_in(std::span<const std::byte> bytes, const Layout& l) {
    Counters out;
    out.next_xid = field_at<std::uint64_t>(bytes, l.next_xid);
    out.latest_completed_xid = l.major == first_major ? field_at<std::uint32_t>(bytes, l.latest_completed_xid)
                                                      : field_at<std::uint64_t>(bytes, l.latest_completed_xid);
    if (l.completion_count)
        out.completion_count = field_at<std::uint64_t>(bytes, *l.completion_count);
    return out;
}

// What is read of an entry of PGPROC.
struct Range {
    Offset first, end;
};
Range proc_range(const Layout& l) {
    Offset first = std::min({l.pid, l.database, l.role});
    if (l.proc_xid)
        first = std::min({first, *l.proc_xid, *l.proc_xmin, *l.pgxactoff});
    return {first, static_cast<Offset>(l.wait_event_info + sizeof(std::uint32_t))};
}

std::uint32_t count_in(std::span<const std::byte> roster) {
    return field_at<std::uint32_t>(roster, 0);
}

} // namespace

Result<Counters> read_counters(const Memory& memory, const Anatomy& anatomy) {
    std::array<std::byte, variables_span> bytes{};
    const Piece piece{anatomy.variable_cache, bytes};
    SNAPSCOPE_TRY(memory.read(std::span(&piece, 1)));
    return counters_in(bytes, anatomy.layout);
}

std::uint32_t SampleReader::listed() const {
    return count_in(roster_.before);
}

// More are listed than there was room for: take more next time.  A count that
// cannot be makes no room; it is torn.
bool SampleReader::grow() {
    const std::uint32_t count = std::max(count_in(roster_.before), count_in(roster_.after));
    if (count <= room_ || count > anatomy_.max_roster())
        return false;
    room_ = std::min(count + room_to_spare, anatomy_.max_roster());
    return true;
}

std::uint32_t SampleReader::slot_at(std::uint32_t at) const {
    return field_at<std::uint32_t>(roster_.before, anatomy_.layout.roster + std::size_t{at} * 4);
}

// The roster stood still: the same before and after, and sorted as the server keeps it.
bool SampleReader::same_roster() const {
    const std::uint32_t count = listed();
    if (count > room_ || count_in(roster_.after) != count)
        return false;
    const auto used = static_cast<std::ptrdiff_t>(anatomy_.layout.roster + std::size_t{count} * 4);
    const auto entries = static_cast<std::ptrdiff_t>(anatomy_.layout.roster);
    if (!std::equal(roster_.before.begin() + entries, roster_.before.begin() + used, roster_.after.begin() + entries))
        return false;
    for (std::uint32_t at = 0; at < count; ++at)
        if (slot_at(at) >= anatomy_.slots || (at > 0 && slot_at(at) <= slot_at(at - 1)))
            return false;
    return true;
}

DenseSlot SampleReader::dense_slot(std::uint32_t at) const {
    const Layout& l = anatomy_.layout;
    DenseSlot out;
    out.slot = slot_at(at);
    if (l.all_pgxact) {
        const std::size_t entry = std::size_t{out.slot} * *l.pgxact_bytes;
        out.xid = field_at<std::uint32_t>(pgxact_, entry + *l.pgxact_xid);
        out.xmin = field_at<std::uint32_t>(pgxact_, entry + *l.pgxact_xmin);
        out.flags = field_at<std::uint8_t>(pgxact_, entry + *l.pgxact_flags);
        out.subxids = field_at<std::uint8_t>(pgxact_, entry + *l.pgxact_subxids);
    } else {
        out.xid = field_at<std::uint32_t>(xids_, std::size_t{at} * 4);
        out.flags = field_at<std::uint8_t>(flags_, at);
        out.subxids = field_at<std::uint8_t>(subxids_, std::size_t{at} * 2);
    }
    return out;
}

Status SampleReader::read(const Memory& memory, DenseSample& sample) {
    const Layout& l = anatomy_.layout;
    std::array<std::byte, variables_span> before{};
    std::array<std::byte, variables_span> after{};
    std::uint32_t state = 0;
    do {
        room_ = std::min(room_, anatomy_.max_roster());
        const std::size_t roster_bytes = l.roster + std::size_t{room_} * 4;
        roster_.before.resize(roster_bytes);
        roster_.after.resize(roster_bytes);
        std::array<Piece, 8> pieces{Piece{anatomy_.variable_cache, before},
                                    Piece{anatomy_.lock + lock_state, std::as_writable_bytes(std::span(&state, 1))},
                                    Piece{anatomy_.proc_array, roster_.before}};
        std::size_t count = 3;
        if (l.all_pgxact) {
            pgxact_.resize(std::size_t{anatomy_.slots} * *l.pgxact_bytes);
            pieces.at(count++) = {anatomy_.pgxact, pgxact_};
        } else {
            xids_.resize(std::size_t{room_} * 4);
            subxids_.resize(std::size_t{room_} * 2);
            flags_.resize(room_);
            pieces.at(count++) = {anatomy_.xids, xids_};
            pieces.at(count++) = {anatomy_.subxids, subxids_};
            pieces.at(count++) = {anatomy_.flags, flags_};
        }
        pieces.at(count++) = {anatomy_.proc_array, roster_.after};
        pieces.at(count++) = {anatomy_.variable_cache, after};
        SNAPSCOPE_TRY(memory.read(std::span(pieces).first(count)));
    } while (grow());
    sample.counters = counters_in(after, l);
    sample.lock_exclusive = (state & l.exclusive_bit) != 0;
    sample.lock_shared = state & l.shared_mask;
    sample.slots.clear();
    if (!same_roster()) {
        sample.torn = Torn::roster;
        return {};
    }
    sample.torn = counters_in(before, l) == sample.counters ? Torn::no : Torn::counters;
    for (std::uint32_t at = 0; at < listed(); ++at)
        sample.slots.push_back(dense_slot(at));
    return {};
}

Status SampleReader::read(const Memory& memory, ProcSample& sample) {
    const Layout& l = anatomy_.layout;
    const Range range = proc_range(l);
    sample.slots.clear();
    sample.torn = Torn::roster;
    // Which entries to read is known from the roster, so this is two calls.
    do {
        room_ = std::min(room_, anatomy_.max_roster());
        roster_.before.resize(l.roster + std::size_t{room_} * 4);
        const Piece piece{anatomy_.proc_array, roster_.before};
        SNAPSCOPE_TRY(memory.read(std::span(&piece, 1)));
        roster_.after = roster_.before;
    } while (grow());
    if (!same_roster())
        return {};
    std::vector<Piece> pieces;
    const bool whole = listed() > most_pieces;
    const std::size_t stride = whole ? l.pgproc_bytes : range.end - range.first;
    const std::size_t skipped = whole ? 0 : range.first;
    procs_.resize(stride * (whole ? anatomy_.slots : listed()));
    if (whole)
        pieces.push_back({anatomy_.all_procs, procs_});
    for (std::uint32_t at = 0; at < listed() && !whole; ++at)
        pieces.push_back({anatomy_.all_procs + std::uint64_t{slot_at(at)} * l.pgproc_bytes + range.first,
                          std::span(procs_).subspan(at * stride, stride)});
    pieces.push_back({anatomy_.proc_array, roster_.after});
    SNAPSCOPE_TRY(memory.read(pieces));
    if (!same_roster())
        return {};
    for (std::uint32_t at = 0; at < listed(); ++at) {
        const auto proc = std::span<const std::byte>(procs_).subspan((whole ? slot_at(at) : at) * stride, stride);
        ProcSlot slot;
        slot.slot = slot_at(at);
        slot.pid = field_at<std::int32_t>(proc, l.pid - skipped);
        slot.database = field_at<std::uint32_t>(proc, l.database - skipped);
        slot.role = field_at<std::uint32_t>(proc, l.role - skipped);
        slot.wait_event = field_at<std::uint32_t>(proc, l.wait_event_info - skipped);
        if (l.proc_xid) {
            if (field_at<std::uint32_t>(proc, *l.pgxactoff - skipped) != at) {
                sample.slots.clear();
                return {};
            }
            slot.xid = field_at<std::uint32_t>(proc, *l.proc_xid - skipped);
            slot.xmin = field_at<std::uint32_t>(proc, *l.proc_xmin - skipped);
            slot.flags = field_at<std::uint8_t>(proc, *l.proc_status_flags - skipped);
        }
        sample.slots.push_back(slot);
    }
    sample.torn = Torn::no;
    return {};
}

bool waits_for_proc_array_lock(std::uint32_t wait_event) {
    constexpr std::uint32_t lwlock_class = 0x01;
    return wait_event >> 24U == lwlock_class && (wait_event & 0xffffU) == proc_array_lock;
}

std::uint32_t age_of(std::uint32_t xid, std::uint64_t next_xid) {
    if (xid < first_normal_xid)
        return 0;
    const auto age = static_cast<std::uint32_t>(next_xid) - xid;
    return age < 0x80000000U ? age : 0;
}

} // namespace snapscope::mirror
