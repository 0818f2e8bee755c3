// perf as a child of this program, and the decoder of what it writes.  Used by
// the source `hitm`.
#pragma once

#include "tool_child.hpp"

#include <snapscope/readers/perf_stream.hpp>

#include <chrono>
#include <mutex>
#include <span>
#include <string>
#include <utility>

namespace snapscope {

// perf's child and the decoder of its stream: read by one thread at a time, and
// decoded under the lock that guards what is counted.
struct PerfReader {
    ToolChild child;
    PerfStream stream;
    std::string trouble; // why decoding stopped

    PerfReader(ToolChild perf, PerfVisitor& visitor, std::mutex& guard)
        : child(std::move(perf)), stream(visitor), lock(&guard) {}

    // False once there is nothing more to read.
    bool pump(std::chrono::milliseconds limit) { return child.pump(limit, sink()) && trouble.empty(); }
    ToolChild::Sink sink() {
        return [this](std::string_view bytes) {
            const std::lock_guard<std::mutex> held(*lock);
            if (!trouble.empty())
                return;
            if (const auto fed = stream.feed(std::as_bytes(std::span(bytes))); !fed)
                trouble = fed.error().what;
        };
    }

  private:
    std::mutex* lock;
};

} // namespace snapscope
