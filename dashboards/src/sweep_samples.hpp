// Sweeps to make reports of in tests.
#pragma once

#include <snapscope/dashboards/sweep_report.hpp>

namespace snapscope::samples {

// Two modes at eight max_connections, four repeats each, two metrics, a failed
// point, and the layouts of a server.
[[nodiscard]] SweepReport sweep();

// What a table gives; throws where it is none.
[[nodiscard]] SweepReport sweep_of_table(const std::string& text, const std::string& label);

} // namespace snapscope::samples
