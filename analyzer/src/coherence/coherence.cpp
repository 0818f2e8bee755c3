#include "directory.hpp"
#include "prefetcher.hpp"

#include <numeric>

namespace snapscope {
namespace {

template <Protocol protocol, std::size_t Words, bool Threads> class Model final : public CoherenceModel {
  public:
    Model(const Topology& topology, const LineSpace& lines, Prefetch prefetch)
        : space_(lines), prefetch_(prefetch), llcs_(topology.llcs), directory_(topology, lines.lines()),
          streams_(prefetch == Prefetch::streamer ? topology.cores : 0, lines.pages()),
          fetched_(prefetch == Prefetch::none ? 0 : lines.lines()) {
        counts_.lines.resize(lines.lines());
        counts_.between_llcs.resize(std::size_t{llcs_} * llcs_);
    }

    void run(std::span<const Access> accesses) override {
        if (prefetch_ == Prefetch::none)
            for (const Access& access : accesses)
                demand(access);
        else
            for (const Access& access : accesses)
                demand_and_prefetch(access);
    }

    [[nodiscard]] const CoherenceCounts& counts() const override { return counts_; }

  private:
    bool demand(const Access& access) {
        CoherenceTally& line = counts_.lines[access.line];
        CoherenceTally& purpose = counts_.purposes[access.purpose];
        ++line.accesses;
        ++purpose.accesses;
        Movement movement;
        if (access.kind == AccessKind::read) {
            movement = directory_.read(access.line, access.cpu);
        } else {
            ++line.writes;
            ++purpose.writes;
            movement = directory_.write(access.line, access.cpu);
        }
        if (movement.moved || movement.upgrade) {
            book(line, movement);
            book(purpose, movement);
            counts_.cold += movement.cold ? 1U : 0U;
            if (movement.moved && movement.distance != Distance::from_memory)
                ++counts_.between_llcs[directory_.llc_of(access.cpu) * llcs_ + movement.supplier_llc];
        }
        return movement.moved;
    }

    static void book(CoherenceTally& tally, const Movement& movement) {
        auto& counts = movement.moved ? tally.transfers : tally.upgrades;
        ++counts[static_cast<std::size_t>(movement.distance)];
        tally.invalidated += movement.invalidated;
    }

    void demand_and_prefetch(const Access& access) {
        const std::uint32_t core = directory_.core_of(access.cpu);
        auto& fetched = fetched_[access.line];
        if (fetched.has(core)) { // fetched, and perhaps lost again before it was of use
            counts_.useful_prefetches += directory_.holds(access.line, access.cpu) ? 1U : 0U;
            fetched.remove(core);
        }
        const bool missed = demand(access);
        if (access.kind != AccessKind::read)
            fetched.clear(); // the copies are gone
        const auto fetch = [&](LineId line) { this->fetch(line, access); };
        if (prefetch_ == Prefetch::next_line) {
            if (missed)
                fetch_behind(space_, access.line, 1, fetch);
        } else if (streams_.advances(core, space_.page(access.line), access.line)) {
            fetch_behind(space_, access.line, Streams::ahead, fetch);
        }
    }

    void fetch(LineId id, const Access& why) {
        if (directory_.holds(id, why.cpu))
            return;
        const Movement movement = directory_.read(id, why.cpu);
        const auto distance = static_cast<std::size_t>(movement.distance);
        ++counts_.lines[id].prefetched[distance];
        ++counts_.purposes[why.purpose].prefetched[distance];
        fetched_[id].add(directory_.core_of(why.cpu));
    }

    const LineSpace& space_;
    Prefetch prefetch_;
    std::uint32_t llcs_;
    Directory<protocol, Words, Threads> directory_;
    Streams streams_;
    std::vector<CoreSet<Words>> fetched_; // by line: cores that a prefetcher fetched it for, and that did not yet ask
    CoherenceCounts counts_;
};

template <Protocol protocol, std::size_t Words>
std::unique_ptr<CoherenceModel> make(const Topology& topology, const LineSpace& lines, Prefetch prefetch) {
    if (topology.threads_share_cores())
        return std::make_unique<Model<protocol, Words, true>>(topology, lines, prefetch);
    return std::make_unique<Model<protocol, Words, false>>(topology, lines, prefetch);
}

template <Protocol protocol>
std::unique_ptr<CoherenceModel> make(const Topology& topology, const LineSpace& lines, Prefetch prefetch) {
    if (topology.cpus.size() <= 64)
        return make<protocol, 1>(topology, lines, prefetch);
    if (topology.cpus.size() <= 256)
        return make<protocol, 4>(topology, lines, prefetch);
    static_assert(max_topology_cpus <= 16 * 64);
    return make<protocol, 16>(topology, lines, prefetch);
}

template <typename T, std::size_t Size>
std::optional<T> named(const std::array<const char*, Size>& words, std::string_view name) {
    for (std::size_t i = 0; i < Size; ++i)
        if (name == words[i])
            return static_cast<T>(i);
    return std::nullopt;
}

constexpr std::array protocol_words{"mesi", "mesif", "moesi"};
constexpr std::array prefetch_words{"none", "next-line", "streamer"};

} // namespace

std::unique_ptr<CoherenceModel> make_coherence_model(const Topology& topology, const LineSpace& lines,
                                                     Protocol protocol, Prefetch prefetch) {
    switch (protocol) {
    case Protocol::mesi:
        return make<Protocol::mesi>(topology, lines, prefetch);
    case Protocol::mesif:
        return make<Protocol::mesif>(topology, lines, prefetch);
    case Protocol::moesi:
        break;
    }
    return make<Protocol::moesi>(topology, lines, prefetch);
}

std::uint64_t sum(const DistanceCounts& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

CoherenceTally& CoherenceTally::operator+=(const CoherenceTally& other) {
    accesses += other.accesses;
    writes += other.writes;
    invalidated += other.invalidated;
    for (std::size_t i = 0; i < distance_count; ++i) {
        transfers[i] += other.transfers[i];
        upgrades[i] += other.upgrades[i];
        prefetched[i] += other.prefetched[i];
    }
    return *this;
}

CoherenceTally CoherenceCounts::total() const {
    return std::accumulate(lines.begin(), lines.end(), CoherenceTally{},
                           [](CoherenceTally all, const CoherenceTally& line) { return all += line; });
}

CoherenceCounts& CoherenceCounts::operator+=(const CoherenceCounts& other) {
    lines.resize(std::max(lines.size(), other.lines.size()));
    between_llcs.resize(std::max(between_llcs.size(), other.between_llcs.size()));
    for (std::size_t i = 0; i < other.lines.size(); ++i)
        lines[i] += other.lines[i];
    for (std::size_t i = 0; i < other.between_llcs.size(); ++i)
        between_llcs[i] += other.between_llcs[i];
    for (std::size_t i = 0; i < max_purposes; ++i)
        purposes[i] += other.purposes[i];
    cold += other.cold;
    useful_prefetches += other.useful_prefetches;
    return *this;
}

const char* to_string(Protocol protocol) {
    return protocol_words.at(static_cast<std::size_t>(protocol));
}
const char* to_string(Prefetch prefetch) {
    return prefetch_words.at(static_cast<std::size_t>(prefetch));
}
std::optional<Protocol> protocol_named(std::string_view name) {
    return named<Protocol>(protocol_words, name);
}
std::optional<Prefetch> prefetch_named(std::string_view name) {
    return named<Prefetch>(prefetch_words, name);
}

} // namespace snapscope
