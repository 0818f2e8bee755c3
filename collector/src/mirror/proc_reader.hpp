// Looks at the entries of PGPROC: dear, as they lie far apart.
#pragma once

#include "roster.hpp"
#include "samples.hpp"

namespace snapscope::mirror {

class ProcReader {
  public:
    explicit ProcReader(const Anatomy& anatomy);

    // Which entries to read is known from the roster, so this is two calls.
    Status look(const Memory& memory);
    [[nodiscard]] const ProcSample& seen() const { return seen_; }

  private:
    // The bytes of an entry that are read, and their distance in procs_.
    struct Extract {
        std::size_t first = 0, bytes = 0;
    };
    Status read_roster(const Memory& memory);
    Status read_entries(const Memory& memory);
    [[nodiscard]] bool take(std::uint32_t place);

    Anatomy anatomy_;
    Roster before_, after_;
    Extract extract_;
    bool whole_ = false; // all entries were copied, not only those of the roster
    std::vector<std::byte> procs_;
    std::vector<Piece> pieces_;
    ProcSample seen_;
};

} // namespace snapscope::mirror
