// Source `pcm`: bytes on the links between sockets, misses of the last-level
// caches and memory traffic, by Debian's pcm, which runs beside the recording.
//
// It counts the whole machine, not this server.  Whether it can is decided by
// reading a register first: pcm's exit code, and rows of zeros, prove nothing.
#pragma once

#include <snapscope/base/result.hpp>
#include <snapscope/collector/source.hpp>

#include <chrono>
#include <memory>

namespace snapscope {

// A row each INTERVAL, at least a second.  Class unavailable in pcm's own words:
// no MSR, no PCI space, a virtual machine, a PMU that is taken, another processor.
[[nodiscard]] Result<std::unique_ptr<Source>> attach_pcm(std::chrono::milliseconds interval);

// For doctor: whether registers can be read; nothing is programmed.
[[nodiscard]] Result<std::string> probe_pcm();

} // namespace snapscope
