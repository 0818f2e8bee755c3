// Looks at what every snapshot scans, again and again.  A look costs what has
// changed since the one before: bytes are compared in blocks, and only entries
// of a block that differs are decoded.
#pragma once

#include "roster.hpp"
#include "samples.hpp"

#include <array>

namespace snapscope::mirror {

class DenseReader {
  public:
    explicit DenseReader(const Anatomy& anatomy);

    // One look, by one call, and more where the roster is not the one that was
    // known: the array has to lie between two equal reads of it.
    Status look(const Memory& memory);
    // What it saw.
    [[nodiscard]] const DenseSample& seen() const { return seen_; }

  private:
    // Of one call, in the order of reading.
    struct Words {
        std::array<std::byte, variables_span> variables_before{};
        std::uint32_t lock = 0;
        std::uint32_t count_before = 0; // of the roster
        std::vector<std::byte> entries;
        std::array<std::byte, variables_span> variables_after{};
    };
    Status read(const Memory& memory);
    [[nodiscard]] bool roster_is_known() const;
    void learn_roster();
    void take_all();
    void take_changes();
    [[nodiscard]] DenseSlot entry_at(std::uint32_t slot, std::size_t entry) const;

    Anatomy anatomy_;
    Address array_ = 0; // PGXACT by slot (13), xids by place in the roster (14+)
    std::size_t entry_bytes_ = 0;
    Roster known_, now_;               // as of the look before, and as read
    bool known_is_sound_ = false;      // nobody was changing it
    bool whole_ = false;               // slots hold what a whole look saw
    std::vector<std::uint32_t> place_; // 13: by slot, its place in the roster
    Words words_;
    std::vector<std::byte> before_; // what seen_.slots were decoded from
    DenseSample seen_;
};

} // namespace snapscope::mirror
