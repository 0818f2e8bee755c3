// Instructions of a GetSnapshotData() call, counted exactly by callgrind.
#pragma once

#include "server.hpp"

#include <cstddef>

namespace snapscope::bench {

struct Instructions {
    double set = 0;     // own xmin is set already
    double publish = 0; // it is published by each call
};

// In single-user mode on the data folder of a server that was stopped, with so
// many idle entries in the proc array.
[[nodiscard]] Instructions count_instructions(const Server& server, std::size_t idle);

} // namespace snapscope::bench
