// The coherence model: which cache line moves, from how far, for a stream of
// accesses on a topology.
//
// Every core has one private cache, without limit: lines leave it only when
// another core writes to them (the arrays of a snapshot fit into a second-level
// cache up to some thousand connections; beyond, real caches evict, and this
// model does not).  Writes invalidate.  What is exact, per line: the state, the
// set of cores that hold it, and the one that owns it; so an access takes the
// same time whatever happened before, and lines are independent of each other
// (with a prefetcher: pages are).
//
// Who supplies a line to a core that misses it:
//   M, E, O   its owner
//   otherwise the reader's own last-level cache, if a core behind it holds the
//             line; else MESIF: the holder in F; MESI and MOESI: memory
// After a read of an M line: MESI and MESIF write it back and share it, MOESI
// leaves it dirty with its owner (O).  In MESIF the last reader holds F.
// A write by a holder of a shared line is an upgrade: no data moves, the other
// copies are invalidated.  A write by another core moves the line and
// invalidates; it counts as one transfer.
// Hardware threads share their core's cache; a line that one wrote and the
// other then reads or writes for the first time is a transfer `same_core`.
#pragma once

#include <snapscope/analyzer/line_space.hpp>
#include <snapscope/analyzer/topology.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace snapscope {

enum class Protocol : std::uint8_t { mesi, mesif, moesi };
// next_line: a miss also fetches the line behind it.  streamer: the third of
// three lines that a core reads in ascending order fetches the two behind it,
// and so does each that goes on.  Neither leaves its page of 4 KiB.
enum class Prefetch : std::uint8_t { none, next_line, streamer };

enum class AccessKind : std::uint8_t { read, write, locked }; // locked: read, modified and written at once

// Why a line was touched; the access programs give it, the counts keep it.
inline constexpr std::size_t max_purposes = 16;

struct Access {
    LineId line = 0;
    std::uint16_t cpu = 0; // index in Topology::cpus
    AccessKind kind = AccessKind::read;
    std::uint8_t purpose = 0; // below max_purposes
};

using DistanceCounts = std::array<std::uint64_t, distance_count>;

struct CoherenceTally {
    std::uint64_t accesses = 0;
    std::uint64_t writes = 0;      // of them, locked ones included
    DistanceCounts transfers{};    // by demand: whoever asked waited
    DistanceCounts upgrades{};     // by the farthest copy that was invalidated
    DistanceCounts prefetched{};   // lines that a prefetcher moved
    std::uint64_t invalidated = 0; // copies, by writes of any kind

    CoherenceTally& operator+=(const CoherenceTally& other);
    friend bool operator==(const CoherenceTally&, const CoherenceTally&) = default;
};
[[nodiscard]] std::uint64_t sum(const DistanceCounts& counts);

struct CoherenceCounts {
    std::vector<CoherenceTally> lines; // by LineId
    std::array<CoherenceTally, max_purposes> purposes{};
    // Demand transfers between last-level caches: [reader * llcs + supplier].
    std::vector<std::uint64_t> between_llcs;
    std::uint64_t cold = 0;              // of the transfers from memory: nobody had touched the line
    std::uint64_t useful_prefetches = 0; // asked for afterwards, and still there

    [[nodiscard]] CoherenceTally total() const; // over the lines
    CoherenceCounts& operator+=(const CoherenceCounts& other);
    friend bool operator==(const CoherenceCounts&, const CoherenceCounts&) = default;
};

// The model of one thread, over all lines.
class CoherenceModel {
  public:
    CoherenceModel() = default;
    CoherenceModel(const CoherenceModel&) = delete;
    CoherenceModel& operator=(const CoherenceModel&) = delete;
    CoherenceModel(CoherenceModel&&) = delete;
    CoherenceModel& operator=(CoherenceModel&&) = delete;
    virtual ~CoherenceModel() = default;

    // In the order of time.  Lines and CPUs must exist.
    virtual void run(std::span<const Access> accesses) = 0;
    [[nodiscard]] virtual const CoherenceCounts& counts() const = 0;
};

// TOPOLOGY and LINES must live as long.
[[nodiscard]] std::unique_ptr<CoherenceModel> make_coherence_model(const Topology& topology, const LineSpace& lines,
                                                                   Protocol protocol, Prefetch prefetch);

[[nodiscard]] const char* to_string(Protocol protocol);
[[nodiscard]] const char* to_string(Prefetch prefetch);
[[nodiscard]] std::optional<Protocol> protocol_named(std::string_view name);
[[nodiscard]] std::optional<Prefetch> prefetch_named(std::string_view name);

} // namespace snapscope
