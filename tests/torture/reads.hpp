// Reads that several scripts make, and check.
#pragma once

#include "client.hpp"

#include <array>

namespace snapscope::torture {

using Seen = std::array<std::int64_t, counters>; // the counters' values

// What each statement that starts now has to see.
[[nodiscard]] Seen minima_now(const World& world);
// Reads all; `least` was known before the statement that took the snapshot.
Seen check_counters(Client& client, const Seen& least, const char* where);
void check_sum(Client& client, const char* where);

} // namespace snapscope::torture
