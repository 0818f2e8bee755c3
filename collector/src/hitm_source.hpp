// Source `hitm`: loads that another cache answered with a modified line, as the
// processor samples them, by line, field, function, reader and writer.
//
// Debian's perf runs beside the recording, system-wide; its stream is decoded
// here as it comes (readers/perf_stream.hpp).
#pragma once

#include <snapscope/collector/memory_file.hpp>
#include <snapscope/collector/source.hpp>
#include <snapscope/collector/target.hpp>

#include <memory>

namespace snapscope {

// MEMORY: of a patched server, and outlives the source; nullptr for others.
// Class unavailable in perf's own words, or where the server's arrays cannot be found.
[[nodiscard]] Result<std::unique_ptr<Source>> attach_hitm(const ProcFs& proc, const Postmaster& postmaster,
                                                          const MemoryFile* memory);

// For doctor: whether perf has memory events here, and which.
[[nodiscard]] Result<std::string> probe_hitm();

} // namespace snapscope
