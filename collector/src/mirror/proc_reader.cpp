#include "proc_reader.hpp"

#include <algorithm>

namespace snapscope::mirror {
namespace {

// Beyond so many slots one copy of the whole array is cheaper than a piece a slot.
constexpr std::uint32_t most_pieces = 300;

} // namespace

ProcReader::ProcReader(const Anatomy& anatomy) : anatomy_(anatomy), before_(anatomy), after_(anatomy) {
    const Layout& l = anatomy_.layout;
    extract_.first = std::min({l.pid, l.database, l.role});
    if (l.proc_xid)
        extract_.first = std::min<std::size_t>({extract_.first, *l.proc_xid, *l.proc_xmin, *l.pgxactoff});
    extract_.bytes = l.wait_event_info + sizeof(std::uint32_t) - extract_.first;
}

Status ProcReader::read_roster(const Memory& memory) {
    do {
        const Piece piece = before_.piece();
        SNAPSCOPE_TRY(memory.read(std::span(&piece, 1)));
    } while (before_.grow());
    after_ = before_;
    return {};
}

Status ProcReader::read_entries(const Memory& memory) {
    const std::size_t stride = anatomy_.layout.pgproc_bytes;
    pieces_.clear();
    whole_ = before_.count() > most_pieces;
    if (whole_) {
        procs_.resize(stride * anatomy_.slots);
        pieces_.push_back({anatomy_.all_procs, procs_});
    } else {
        procs_.resize(extract_.bytes * before_.count());
        for (std::uint32_t place = 0; place < before_.count(); ++place)
            pieces_.push_back({anatomy_.all_procs + before_.slot_at(place) * stride + extract_.first,
                               std::span(procs_).subspan(place * extract_.bytes, extract_.bytes)});
    }
    pieces_.push_back(after_.piece());
    return memory.read(pieces_);
}

// False where the entry belongs to another place.
bool ProcReader::take(std::uint32_t place) {
    const Layout& l = anatomy_.layout;
    ProcSlot slot;
    slot.slot = before_.slot_at(place);
    const std::size_t at = whole_ ? std::size_t{slot.slot} * l.pgproc_bytes + extract_.first : place * extract_.bytes;
    const auto proc = std::span<const std::byte>(procs_).subspan(at, extract_.bytes);
    const auto word = [&](Offset offset) { return field_at<std::uint32_t>(proc, offset - extract_.first); };
    slot.pid = static_cast<std::int32_t>(word(l.pid));
    slot.database = word(l.database);
    slot.role = word(l.role);
    slot.wait_event = word(l.wait_event_info);
    if (l.proc_xid) {
        if (word(*l.pgxactoff) != place)
            return false;
        slot.xid = word(*l.proc_xid);
        slot.xmin = word(*l.proc_xmin);
        slot.flags = field_at<std::uint8_t>(proc, *l.proc_status_flags - extract_.first);
    }
    seen_.slots.push_back(slot);
    return true;
}

Status ProcReader::look(const Memory& memory) {
    seen_.slots.clear();
    seen_.torn = Torn::roster;
    SNAPSCOPE_TRY(read_roster(memory));
    if (!before_.in_order())
        return {};
    SNAPSCOPE_TRY(read_entries(memory));
    if (!before_.same_as(after_))
        return {};
    for (std::uint32_t place = 0; place < before_.count(); ++place)
        if (!take(place)) {
            seen_.slots.clear();
            return {};
        }
    seen_.torn = Torn::no;
    return {};
}

} // namespace snapscope::mirror
