// What happens beside the clients: phases, VACUUM, and backends killed hard.
#pragma once

#include "world.hpp"

#include <sys/types.h>

namespace snapscope::torture {

// Each until the run ends, in a thread of its own.
void change_phases(World& world);
void vacuum_tables(World& world);
// Kills backends of the clients that are children of `postmaster`.
void kill_backends(World& world, pid_t postmaster);

} // namespace snapscope::torture
