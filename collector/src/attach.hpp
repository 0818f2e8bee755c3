// Chooses and attaches the sources of a recording.
#pragma once

#include "event_feed.hpp"

#include <snapscope/collector/memory_file.hpp>
#include <snapscope/collector/record.hpp>
#include <snapscope/collector/source.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace snapscope {

// What sources may look at; outlives them.
struct Site {
    ProcFs proc;
    Postmaster postmaster;
    std::optional<MemoryFile> memory;  // patched servers
    std::optional<Error> memory_error; // why there is none
    Server server;
};

struct Attached {
    std::vector<std::unique_ptr<Source>> sources;
    std::vector<EventFeed*> feeds;         // owned by the sources
    std::vector<SourceStatus> unavailable; // with reason and hint
    bool missing_requested = false;
};

// Fails only where the whole recording has to: another collector holds the server.
[[nodiscard]] Result<Attached> attach_sources(const RecordOptions& options, Site& site);

[[nodiscard]] EvidenceKind kind_of(const std::string& name);

// Why probes on the binary need consent.
[[nodiscard]] Error same_binary_error(const std::vector<Postmaster>& others);

[[nodiscard]] Site look_at(const ProcFs& proc, const Postmaster& postmaster);

} // namespace snapscope
