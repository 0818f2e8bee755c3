#include "roster.hpp"

#include <algorithm>
#include <cstring>

namespace snapscope::mirror {
namespace {

constexpr std::uint32_t room_at_first = 16, room_to_spare = 16;

} // namespace

Roster::Roster(const Anatomy& anatomy)
    : from_(anatomy.proc_array), entries_at_(anatomy.layout.roster), most_(anatomy.max_roster()),
      slots_(anatomy.slots) {
    take_room(room_at_first);
}

void Roster::take_room(std::uint32_t entries) {
    room_ = std::min(entries, most_);
    bytes_.resize(entries_at_ + std::size_t{room_} * sizeof(std::uint32_t));
}

bool Roster::grow() {
    if (count() <= room_ || count() > most_)
        return false;
    take_room(count() + room_to_spare);
    return true;
}

bool Roster::in_order() const {
    if (count() > room_)
        return false;
    for (std::uint32_t entry = 0; entry < count(); ++entry)
        if (slot_at(entry) >= slots_ || (entry > 0 && slot_at(entry) <= slot_at(entry - 1)))
            return false;
    return true;
}

bool Roster::same_as(const Roster& other) const {
    if (count() != other.count() || count() > std::min(room_, other.room_))
        return false;
    return std::memcmp(bytes_.data() + entries_at_, other.bytes_.data() + entries_at_,
                       std::size_t{count()} * sizeof(std::uint32_t)) == 0;
}

} // namespace snapscope::mirror
