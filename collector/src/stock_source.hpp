// Source `ebpf` on unpatched servers, 13 to 18: uprobes on exported functions and
// the built-in USDT probes of lock waits, counted in the kernel by slot, within a
// budget of the server's CPU time.
#pragma once

#include "ebpf_source.hpp"

namespace snapscope {

class StockSource : public EbpfSource {
  public:
    // Estimates first what the probes will cost the server, says it through
    // OPTIONS.note, and attaches nothing where even a sample would cost too much.
    static Result<std::unique_ptr<EbpfSource>> attach(const ProcFs& proc, pid_t postmaster, const EbpfOptions& options);
    // Whether the server's binary has what is probed.
    static Status check(const std::string& binary);
    // Whether attach() would work, by loading the program; what a snapshot costs with its probes.
    static Result<std::string> probe(const ProcFs& proc, pid_t postmaster);
};

} // namespace snapscope
