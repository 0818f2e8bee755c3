// What a recorded phase says: accesses by function and structure, and what a
// protocol makes of them, over the window in which all clients were at work.
#pragma once

#include <snapscope/analyzer/coherence.hpp>
#include <snapscope/emulator/phase_recorder.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace snapscope::emulator {

using KindCounts = std::array<std::uint64_t, traced_access_kinds>; // by TracedKind

struct Movements {
    KindCounts accesses{};
    DistanceCounts fetches{};  // lines brought, by where they came from
    DistanceCounts upgrades{}; // held lines written, by the farthest copy invalidated
    std::uint64_t invalidated = 0;
    // Accesses that another socket had to take part in: fetches from it, and
    // writes that took away its copy.
    std::uint64_t cross_socket_events = 0;

    Movements& operator+=(const Movements& other);
};

struct StructureTruth {
    std::string name;
    Movements moved;
};

struct FunctionTruth {
    std::string function, structure;
    KindCounts accesses{};
};

enum class Sharing : std::uint8_t { one_cpu, read_only, one_writer, several_writers };
[[nodiscard]] const char* to_string(Sharing sharing);

struct LineTruth {
    std::string structure;
    std::uint64_t index = 0; // within the structure
    std::uint64_t address = 0;
    Movements moved;
    std::uint32_t readers = 0, writers = 0; // CPUs
    Sharing sharing = Sharing::one_cpu;
    std::uint32_t first_touch_cpu = 0;
};

// How often a call of GetSnapshotData read a structure: the most common count.
struct CallTruth {
    std::string structure;
    std::uint64_t reads = 0; // entries of the structure, a word at a time
    double share = 0;        // of the calls that read it at all, how many did exactly that
    double mean = 0;         // over all calls
};

struct PhaseTruth {
    std::uint64_t barrier_instructions = 0, barriers = 0, timeouts = 0, foreign = 0;
    std::uint64_t snapshots = 0;
    std::vector<StructureTruth> by_structure;
    std::vector<FunctionTruth> by_function; // most accesses first
    std::vector<LineTruth> by_line;         // most cross-socket events first
    std::vector<CallTruth> calls;
    // Lines that a snapshot is made of, by socket: [reader * sockets + supplier].
    std::vector<std::uint64_t> between_sockets;

    // Of the structures that make a snapshot: all but PGPROC and XidGenLock.
    [[nodiscard]] Movements snapshot_movements() const;
    [[nodiscard]] Movements all_movements() const;
};

// Whether a structure is one that a snapshot's own traffic is counted on.
[[nodiscard]] bool makes_snapshot(std::string_view structure);

[[nodiscard]] PhaseTruth analyse_phase(const RecordedPhase& phase, const Topology& topology);

} // namespace snapscope::emulator
