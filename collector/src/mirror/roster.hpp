// The roster of the proc array, numProcs and pgprocnos[], as one read of it.
#pragma once

#include "anatomy.hpp"

#include <vector>

namespace snapscope::mirror {

class Roster {
  public:
    explicit Roster(const Anatomy& anatomy);

    // Where the next read of it goes, ProcArrayStruct's head included.
    [[nodiscard]] Piece piece() { return {from_, bytes_}; }
    // The count alone, into COUNT.
    [[nodiscard]] Piece count_piece(std::uint32_t& count) const {
        return {from_, std::as_writable_bytes(std::span(&count, 1))};
    }

    [[nodiscard]] std::uint32_t count() const { return field_at<std::uint32_t>(bytes_, 0); }
    [[nodiscard]] std::uint32_t slot_at(std::uint32_t entry) const {
        return field_at<std::uint32_t>(bytes_, entries_at_ + std::size_t{entry} * sizeof(std::uint32_t));
    }
    // More are listed than there was room for: takes room for the next read.  A
    // count that cannot be makes no room.
    bool grow();
    [[nodiscard]] std::uint32_t room() const { return room_; }
    // Sorted, as the server keeps it when nobody is changing it.
    [[nodiscard]] bool in_order() const;
    [[nodiscard]] bool same_as(const Roster& other) const;

  private:
    void take_room(std::uint32_t entries);

    Address from_;
    std::size_t entries_at_;
    std::uint32_t most_, slots_;
    std::uint32_t room_ = 0; // entries that a read takes
    std::vector<std::byte> bytes_;
};

} // namespace snapscope::mirror
