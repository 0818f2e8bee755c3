#include "dense_reader.hpp"

#include <algorithm>
#include <cstring>

namespace snapscope::mirror {
namespace {

constexpr std::uint32_t nowhere = ~0U;
constexpr std::size_t block = 32; // entries that are compared at once
constexpr int reads_more = 2;     // one to see more of a longer roster, one to see it again

} // namespace

DenseReader::DenseReader(const Anatomy& anatomy) : anatomy_(anatomy), known_(anatomy), now_(anatomy) {
    const Layout& l = anatomy_.layout;
    array_ = l.all_pgxact ? anatomy_.pgxact : anatomy_.xids;
    entry_bytes_ = l.all_pgxact ? *l.pgxact_bytes : sizeof(std::uint32_t);
}

Status DenseReader::read(const Memory& memory) {
    const std::size_t entries = anatomy_.layout.all_pgxact ? anatomy_.slots : now_.room();
    words_.entries.resize(entries * entry_bytes_);
    const std::array pieces{Piece{anatomy_.variable_cache, words_.variables_before},
                            Piece{anatomy_.lock + lock_state, std::as_writable_bytes(std::span(&words_.lock, 1))},
                            now_.count_piece(words_.count_before),
                            Piece{array_, words_.entries},
                            now_.piece(),
                            Piece{anatomy_.variable_cache, words_.variables_after}};
    return memory.read(pieces);
}

bool DenseReader::roster_is_known() const {
    return words_.count_before == known_.count() && now_.same_as(known_);
}

// What the read found becomes what the next one is compared with.
void DenseReader::learn_roster() {
    known_ = now_;
    if (known_.grow())
        now_ = known_;
    known_is_sound_ = known_.in_order();
    whole_ = false;
    seen_.slots.clear();
}

Status DenseReader::look(const Memory& memory) {
    SNAPSCOPE_TRY(read(memory));
    for (int again = 0; again < reads_more && !roster_is_known(); ++again) {
        learn_roster();
        SNAPSCOPE_TRY(read(memory));
    }
    const Layout& l = anatomy_.layout;
    seen_.counters = counters_in(words_.variables_after, l);
    seen_.lock_exclusive = (words_.lock & l.exclusive_bit) != 0;
    seen_.lock_shared = words_.lock & l.shared_mask;
    seen_.changed.clear();
    if (!roster_is_known() || !known_is_sound_) {
        learn_roster();
        seen_.anew = true;
        seen_.torn = Torn::roster;
        return {};
    }
    seen_.torn = counters_in(words_.variables_before, l) == seen_.counters ? Torn::no : Torn::counters;
    seen_.anew = !whole_;
    if (seen_.anew)
        take_all();
    else if (seen_.torn == Torn::no)
        take_changes();
    whole_ = whole_ || seen_.torn == Torn::no;
    return {};
}

DenseSlot DenseReader::entry_at(std::uint32_t slot, std::size_t entry) const {
    const Layout& l = anatomy_.layout;
    const auto bytes = std::span<const std::byte>(words_.entries).subspan(entry * entry_bytes_, entry_bytes_);
    DenseSlot out;
    out.slot = slot;
    if (l.all_pgxact) {
        out.xid = field_at<std::uint32_t>(bytes, *l.pgxact_xid);
        out.xmin = field_at<std::uint32_t>(bytes, *l.pgxact_xmin);
        out.flags = field_at<std::uint8_t>(bytes, *l.pgxact_flags);
        out.subxids = field_at<std::uint8_t>(bytes, *l.pgxact_subxids);
    } else {
        out.xid = field_at<std::uint32_t>(bytes, 0);
    }
    return out;
}

void DenseReader::take_all() {
    seen_.slots.clear();
    const bool by_slot = anatomy_.layout.all_pgxact.has_value();
    if (by_slot)
        place_.assign(anatomy_.slots, nowhere);
    for (std::uint32_t place = 0; place < known_.count(); ++place) {
        const std::uint32_t slot = known_.slot_at(place);
        seen_.slots.push_back(entry_at(slot, by_slot ? slot : place));
        if (by_slot)
            place_[slot] = place;
    }
    before_ = words_.entries;
}

void DenseReader::take_changes() {
    const bool by_slot = anatomy_.layout.all_pgxact.has_value();
    const std::size_t entries = by_slot ? anatomy_.slots : known_.count();
    const auto differ = [&](std::size_t first, std::size_t count) {
        const std::size_t at = first * entry_bytes_;
        return std::memcmp(before_.data() + at, words_.entries.data() + at, count * entry_bytes_) != 0;
    };
    for (std::size_t first = 0; first < entries; first += block) {
        const std::size_t count = std::min(block, entries - first);
        if (!differ(first, count))
            continue;
        for (std::size_t entry = first; entry < first + count; ++entry) {
            const std::uint32_t place = by_slot ? place_[entry] : static_cast<std::uint32_t>(entry);
            if (place == nowhere || !differ(entry, 1))
                continue;
            seen_.slots[place] = entry_at(seen_.slots[place].slot, entry);
            seen_.changed.push_back(place);
        }
    }
    std::swap(before_, words_.entries);
}

} // namespace snapscope::mirror
