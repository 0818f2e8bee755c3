// Source `sched`: how long, and on which CPUs, the server's processes ran.
#pragma once

#include <snapscope/collector/memory_file.hpp>
#include <snapscope/collector/source.hpp>

#include <memory>

namespace snapscope {

// By tracepoint (probes/bpf/sched.bpf.c), which misses nothing.  MEMORY may be
// nullptr; with it, slots learn the residency of their owners.
[[nodiscard]] Result<std::unique_ptr<Source>> trace_sched(pid_t postmaster, const MemoryFile* memory);

// Whether that would work, by loading the program and attaching nothing.
[[nodiscard]] Status probe_sched_trace(pid_t postmaster);

// Without the rights for that: procfs, read once an interval.  Degraded: what
// a process did between its last reading and its end is missing, and
// migrations are not known.
[[nodiscard]] std::unique_ptr<Source> sample_sched(const ProcFs& proc, pid_t postmaster, Error why);

} // namespace snapscope
