// Source `ebpf`: the USDT probes of the server's binary, counted in the kernel
// (probes/bpf/snapshot.bpf.c), and their events when asked for.
#pragma once

#include "event_feed.hpp"

#include <snapscope/collector/event_tally.hpp>
#include <snapscope/collector/procfs.hpp>
#include <snapscope/collector/source.hpp>

#include <memory>

namespace snapscope {

struct EbpfOptions {
    bool events = false;
    std::uint32_t slots = 0;                 // of the server; events of other slots are malformed
    std::uint32_t mode = SNAPSCOPE_MODE_OFF; // the server's
};

// A source, and its feed when events are on (owned by the source).
class EbpfSource : public Source {
  public:
    // Loads and attaches; the probes count from start() on.
    static Result<std::unique_ptr<EbpfSource>> attach(const ProcFs& proc, pid_t postmaster, const EbpfOptions& options);
    // Whether the server has the probes and this process the rights.
    static Status check(const ProcFs& proc, pid_t postmaster);
    // Whether attach() would work, by loading the program and attaching nothing.
    static Status probe(const ProcFs& proc, pid_t postmaster);
    [[nodiscard]] virtual EventFeed* events() = 0;
};

} // namespace snapscope
