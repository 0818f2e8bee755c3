// Memory samples over known arrays, added up: by line, by field, by function,
// by the reader's and the writer's CPU.  Used by the source `hitm`.
//
// A sample stands for as many events as its period says, times how much longer
// its event was asked for than it had a counter.  The sum over samples
// estimates events; the root of the sum of squares is its sampling error.
// Memory grows with the lines, fields, functions and CPUs seen, not with samples.
#pragma once

#include <snapscope/readers/address_map.hpp>
#include <snapscope/readers/data_src.hpp>
#include <snapscope/readers/flat_map.hpp>
#include <snapscope/readers/perf_stream.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace snapscope {

struct EventEstimate {
    double events = 0, squares = 0;
    void add(double weight) {
        events += weight;
        squares += weight * weight;
    }
    void add(const EventEstimate& other) {
        events += other.events;
        squares += other.squares;
    }
    [[nodiscard]] double error() const; // one standard deviation
};

struct AccessCounts {
    std::uint64_t loads = 0, stores = 0, load_misses = 0, locked = 0, blocked = 0, peer = 0;
    std::uint64_t hitm_local = 0, hitm_remote = 0, hitm_unplaced = 0; // unplaced: near or far is not told
    EventEstimate local, remote, unplaced;                            // of the HITM

    [[nodiscard]] std::uint64_t hitm() const { return hitm_local + hitm_remote + hitm_unplaced; }
};

// HITM samples alone, by function or CPU.
struct HitmSamples {
    std::uint64_t hitm_local = 0, hitm_remote = 0;
};

struct LineState {
    std::uint64_t hitm_of_own = 0; // HITM of a slot's owner on its own entry: another entry was written
    std::uint64_t hitm_bytes = 0;  // bit i: byte i of the line
    std::uint64_t stored_bytes = 0;
    std::optional<std::uint32_t> last_writer; // CPU of the last store that was sampled
};
struct LineCounts : AccessCounts, LineState {};

// Keys of the pairs below; writer none: not told.
struct CpuPair {
    std::uint32_t reader = 0;
    std::optional<std::uint32_t> writer;
    friend auto operator<=>(const CpuPair&, const CpuPair&) = default;
};

// What became of one sample.
enum class Counted { outside, other, hitm_local, hitm_remote, hitm_unplaced };

class LineTally {
  public:
    // What a data_src says of a sample, wherever it counts.
    struct Access {
        bool load = false, store = false, missed = false, locked = false, blocked = false, peer = false;
        Counted counted = Counted::other;
    };

    explicit LineTally(AddressMap map) : map_(std::move(map)) {}

    // A sample of the server; outside: it lies in none of the arrays.
    Counted add(const PerfSample& sample);
    // Which process owns a slot now; 0: none.
    void set_owner(std::uint32_t slot, std::uint32_t pid);
    // A process of the server has ended.
    void forget(std::uint32_t pid);

    [[nodiscard]] const AddressMap& map() const { return map_; }
    // Of all samples; made when asked for.
    [[nodiscard]] AccessCounts all() const;
    // By the address as it was sampled.
    [[nodiscard]] const FlatMap<AccessCounts>& addresses() const { return by_address_; }
    // The same by the line's address, and by that at which the field begins; made when asked for.
    [[nodiscard]] std::map<std::uint64_t, LineCounts> lines() const;
    [[nodiscard]] std::map<std::uint64_t, AccessCounts> fields() const;
    // By the instruction's address, and by the reader's CPU.
    [[nodiscard]] const FlatMap<HitmSamples>& functions() const { return by_ip_; }
    [[nodiscard]] const FlatMap<HitmSamples>& cpus() const { return by_cpu_; }
    // HITM by reader and writer.
    [[nodiscard]] std::map<CpuPair, EventEstimate> pairs() const;
    // The NUMA node of each CPU, by number, for pages(); none where it is not known.
    void set_nodes(std::vector<std::optional<std::uint32_t>> node_of_cpu) { node_of_cpu_ = std::move(node_of_cpu); }
    // HITM by the reader's node and page (address / 4096).
    [[nodiscard]] std::map<std::pair<std::uint32_t, std::uint64_t>, EventEstimate> pages() const;
    // The most that a period was scaled by; 1: every event had its counter; none: no sample told.
    [[nodiscard]] std::optional<double> worst_scale() const { return worst_scale_; }
    [[nodiscard]] std::uint64_t without_period() const { return without_period_; }

  private:
    struct Decoded {
        std::uint64_t word = 0; // 0 decodes to nothing, as an entry begins
        Access access;
    };
    const Access& decoded(std::uint64_t word);
    double weight_of(const PerfSample& sample);
    void add_hitm(const PerfSample& sample, const Place& place, Counted source, double weight, LineState& line);
    [[nodiscard]] std::optional<std::uint32_t> writer_of(const LineState& line, std::uint64_t address,
                                                         const Place& place) const;
    [[nodiscard]] const std::uint32_t* owner_of(const Place& place) const;

    AddressMap map_;
    std::array<Decoded, 256> decoded_{};
    FlatMap<AccessCounts> by_address_;
    FlatMap<HitmSamples> by_ip_, by_cpu_;
    FlatMap<LineState> line_states_;
    FlatMap<EventEstimate> pairs_; // reader << 32 | writer + 1; 0: not told
    FlatMap<EventEstimate> pages_; // page << 16 | node
    std::vector<std::optional<std::uint32_t>> node_of_cpu_;
    std::unordered_map<std::uint32_t, std::uint32_t> owners_;   // by slot
    std::unordered_map<std::uint32_t, std::uint32_t> last_cpu_; // by pid
    std::optional<double> worst_scale_;
    std::uint64_t without_period_ = 0;
};

// Two entries of one line, written apart: what is named as false sharing, hottest first.
struct SharedEntries {
    std::uint64_t line = 0;
    std::uint64_t hitm = 0;
    std::string text; // "PGXACT[64-69] line 12: HITM loads of 64, 65, stores of 66"
};
[[nodiscard]] std::vector<SharedEntries> false_sharing(const LineTally& tally);

} // namespace snapscope
