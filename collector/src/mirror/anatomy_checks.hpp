// The checks of anatomy.hpp one by one, as a list in the order in which they
// rest on each other.
#pragma once

#include "anatomy.hpp"
#include "shmem_index.hpp"

#include <map>

namespace snapscope::mirror {

// What the checks have gathered; each one may rely on those before it.
struct Examination {
    const Memory& memory;
    const ServerFacts& facts;
    Anatomy anatomy;
    std::map<std::string, IndexEntry> index;
    std::uint32_t max_prepared_xacts = 0, max_wal_senders = 0;
};

struct Check {
    const char* name;
    // Fails with what was found against what was expected, or with a read error.
    Status (*run)(Examination&);
    bool of_moving_parts; // backends come and go: worth another look
};
[[nodiscard]] std::span<const Check> anatomy_checks();

} // namespace snapscope::mirror
