// Source `ebpf`: the USDT probes of a patched server's binary, counted in the
// kernel (probes/bpf/snapshot.bpf.c), and their events when asked for; on an
// unpatched server what stock_source.hpp says.
#pragma once

#include "event_feed.hpp"

#include <snapscope/collector/event_tally.hpp>
#include <snapscope/collector/procfs.hpp>
#include <snapscope/collector/source.hpp>

#include <functional>
#include <memory>
#include <string>

namespace snapscope {

struct EbpfOptions {
    bool events = false;
    std::uint32_t slots = 0;                 // of the server; events of other slots are malformed
    std::uint32_t mode = SNAPSCOPE_MODE_OFF; // the server's
    // Unpatched servers: share of the server's CPU time that probes may take, and
    // who hears what they are expected to take.
    double overhead = 0.02;
    std::function<void(const std::string&)> note;
};

// A source, and its feed when events are on (owned by the source).
class EbpfSource : public Source {
  public:
    // Loads and attaches; the probes count from start() on.
    static Result<std::unique_ptr<EbpfSource>> attach(const ProcFs& proc, pid_t postmaster, const EbpfOptions& options);
    // Whether the server has the probes and this process the rights.
    static Status check(const ProcFs& proc, pid_t postmaster);
    // Whether attach() would work, by loading the program and attaching nothing to the
    // server; what there is to say about it.
    static Result<std::string> probe(const ProcFs& proc, pid_t postmaster);
    [[nodiscard]] virtual EventFeed* events() = 0;
};

} // namespace snapscope
