// What a cache-coherence protocol makes of a stream of accesses, line by line:
// private caches without limit, one a core; MESIF.  Written apart from the
// analyzer's model on purpose: each is a check of the other.
//
// Who supplies a line to a core that misses it: its owner, where one has it
// modified or exclusive; else the core's own last-level cache, where a core
// behind it has the line; else the last reader that still has it; else memory.
#pragma once

#include <snapscope/analyzer/topology.hpp>
#include <snapscope/recording/access_trace.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace snapscope::emulator {

struct AccessOutcome {
    std::optional<Distance> fetch;   // the line was brought from there
    std::uint32_t supplier = 0;      // the socket that it came from, unless from memory
    std::optional<Distance> upgrade; // the line was there, and the farthest copy invalidated was there
    std::uint32_t invalidated = 0;   // copies
    // Another socket had to take part: it supplied the line, or lost its copy.
    bool cross_socket = false;
};

class LineFold {
  public:
    // TOPOLOGY must live as long, and has at most 64 cores.
    LineFold(const Topology& topology, std::size_t lines);

    AccessOutcome access(std::uint32_t line, std::uint8_t cpu, TracedKind kind);

  private:
    using CoreMask = std::uint64_t;
    struct Line {
        CoreMask holders = 0;
        std::optional<std::uint32_t> owner;     // modified or exclusive
        std::optional<std::uint32_t> forwarder; // of a shared line
    };
    // The core that supplies it; none: memory.
    [[nodiscard]] std::optional<std::uint32_t> supplier(const Line& line, std::uint32_t core) const;
    [[nodiscard]] Distance distance(std::uint32_t a, std::uint32_t b) const;

    const Topology& topology_;
    std::vector<std::uint32_t> core_of_cpu_, cpu_of_core_;
    std::vector<Line> lines_;
};

} // namespace snapscope::emulator
