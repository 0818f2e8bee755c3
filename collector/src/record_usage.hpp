// Which options of a recording make no sense, whatever host and server.
#pragma once

#include <snapscope/collector/record.hpp>

namespace snapscope {

// Class usage: a target, a run's name or sources that cannot be meant.
[[nodiscard]] Status check_usage(const RecordOptions& options);
// The same of a list of sources alone; empty is every one.
[[nodiscard]] Status check_sources(const std::vector<std::string>& sources, bool events);

} // namespace snapscope
