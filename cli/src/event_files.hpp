// Whether the events of a run are all there.
#pragma once

#include <snapscope/base/result.hpp>
#include <snapscope/recording/run.hpp>

#include <filesystem>

namespace snapscope::cli {

// Of a finished run with events: fails where a stream is damaged or cut off, or
// where the files hold fewer events than the run says that it recorded.
[[nodiscard]] Status check_event_files(const Run& run, const std::filesystem::path& folder);

} // namespace snapscope::cli
