// Where each entry lies of the arrays that a snapshot reads, and who shares a
// line with whom: computed from a server's settings, read from a live server,
// or as a run states it.
#pragma once

#include <snapscope/analyzer/proc_arrays.hpp>
#include <snapscope/base/result.hpp>
#include <snapscope/recording/event_trace.hpp>
#include <snapscope/recording/run.hpp>

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace snapscope {

struct ArrayPlace {
    std::string name;
    std::optional<std::uint64_t> address;        // none: computed
    std::optional<std::uint64_t> segment_offset; // of the main shared memory segment
    std::uint64_t address_mod_64 = 0;
    std::uint64_t stride_bytes = 0, entries = 0;
    std::uint64_t lines = 0, straddling_entries = 0;
    std::optional<std::uint64_t> page_bytes;
    std::uint64_t pages = 0;
    std::optional<std::map<std::string, std::uint64_t>> numa_nodes; // pages by node, "absent" those nobody touched
};

// ADDRESS may also count from the beginning of a page.  Pages: of 4 KiB where nobody says.
[[nodiscard]] ArrayPlace place_array(std::string name, std::uint64_t address, std::uint64_t stride_bytes,
                                     std::uint64_t entries, std::optional<std::uint64_t> page_bytes);

// The array whose entries a scan walks: PGXACT up to 13, the dense xids from 14
// on; null where the run does not say.
[[nodiscard]] const Array* scanned_array(const Run& run);
// Slots that were taken at the end.
[[nodiscard]] std::vector<std::uint32_t> used_slots(const Run& run);

// Whether a server could have it; what a run says may be anything.
[[nodiscard]] bool plausible(const Array& array);

struct SharedLine {
    std::uint64_t line = 0; // within PGXACT, from 0
    std::vector<std::uint32_t> slots;
    // Where those ran longest, by `sched`; empty where nobody looked.
    std::vector<std::uint32_t> sockets;
};

// Entries in use: those of connected backends.
struct ActiveSlots {
    std::uint64_t count = 0, lines = 0;
    std::optional<std::uint32_t> first, last;
    // 0: as dense as so many entries can lie; 1: no line holds two of them (or
    // as near to that as the array is long).  None for fewer than two entries.
    std::optional<double> scattered_fraction;
    std::vector<SharedLine> shared_lines; // those that two or more of them are on
};
[[nodiscard]] ActiveSlots describe_slots(const ArrayPlace& pgxact, std::vector<std::uint32_t> slots);

// How the set of used entries changed while a run was recorded.
struct Churn {
    std::uint64_t taken = 0, released = 0; // events
    ActiveSlots before, after;
};

struct LayoutReport {
    std::string source; // computed, live, run
    std::string server;
    std::optional<std::uint32_t> max_connections;
    std::vector<ArrayPlace> arrays;
    std::optional<ActiveSlots> active;
    std::optional<Churn> churn;
    std::vector<std::string> notes; // what is not known, and why
};

// A 13 with these settings.
[[nodiscard]] LayoutReport compute_layout(const ProcSettings& settings);

// A run's layout, with its slots at the end; EVENTS_FOLDER, where the run has
// events, gives those at the beginning.
[[nodiscard]] Result<LayoutReport> layout_of_run(const Run& run, const std::filesystem::path& events_folder);

// cli.md's names.
[[nodiscard]] nlohmann::ordered_json to_json(const LayoutReport& report);

} // namespace snapscope
