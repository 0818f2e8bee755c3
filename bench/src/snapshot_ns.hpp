// ns a GetSnapshotData() call, from a loop in C inside the server.
#pragma once

#include "server.hpp"

namespace snapscope::bench {

// Whether the own xmin is set already (`set`), or is published by each call as
// at the start of a transaction (`publish`, "new" in the reports).
enum class Xmin { set, publish };

[[nodiscard]] const char* name_of(Xmin xmin);

// One session: the lowest of 20 short runs, since what the host takes away only
// ever adds.
[[nodiscard]] double snapshot_ns(Server& server, Xmin xmin);

// Two sessions at once, each on a CPU of its own: the mean of their medians,
// since the lowest run would be one that the other session was not there for.
[[nodiscard]] double snapshot_ns_of_two(Server& server, Xmin xmin);

// Calls that take about so long together.
[[nodiscard]] int calls_within(Server& server, Xmin xmin, double microseconds);

} // namespace snapscope::bench
