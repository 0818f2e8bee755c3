// The state of each line and what an access does to it: the rules of
// coherence.hpp, a function each.  Counts nothing.
#pragma once

#include "core_set.hpp"

#include <snapscope/analyzer/coherence.hpp>

#include <type_traits>

namespace snapscope {

// Of a line over all caches.  `exclusive`, `modified`: one holder, the owner.
// `owned` (MOESI): the owner's copy is dirty, others share it.  `shared`: clean
// copies; in MESIF the owner is the one in F.
enum class LineState : std::uint8_t { invalid, exclusive, modified, shared, owned };

// What one access did.
struct Movement {
    bool moved = false;   // a line came, from DISTANCE
    bool upgrade = false; // none came, copies elsewhere were invalidated; DISTANCE is the farthest
    bool cold = false;    // nobody had touched the line
    Distance distance = Distance::from_memory;
    std::uint32_t supplier_llc = 0; // where a cache supplied it
    std::uint32_t invalidated = 0;
};

// Words: enough for every CPU.  Threads: whether cores have several.
template <Protocol protocol, std::size_t Words, bool Threads> class Directory {
  public:
    using Set = CoreSet<Words>;

    Directory(const Topology& topology, std::size_t lines) : lines_(lines), cores_(topology.cores) {
        std::vector<Set> of_llc(topology.llcs);
        std::vector<Set> of_socket(topology.sockets);
        for (const Topology::Place& place : topology.cpus) {
            of_llc[place.llc].add(place.core);
            of_socket[place.socket].add(place.core);
        }
        for (const Topology::Place& place : topology.cpus) {
            cores_[place.core] = {of_llc[place.llc], of_socket[place.socket], place.llc, place.socket};
            core_of_.push_back(place.core);
        }
    }

    [[nodiscard]] bool holds(LineId id, std::uint32_t cpu) const { return lines_[id].holders.has(core_of_[cpu]); }
    [[nodiscard]] std::uint32_t core_of(std::uint32_t cpu) const { return core_of_[cpu]; }
    [[nodiscard]] std::uint32_t llc_of(std::uint32_t cpu) const { return cores_[core_of_[cpu]].llc_number; }

    Movement read(LineId id, std::uint32_t cpu) {
        Line& line = lines_[id];
        const std::uint32_t core = core_of_[cpu];
        Movement out;
        if (line.holders.has(core)) [[likely]] {
            out = held(line, core, cpu);
        } else {
            out = supplied(line, core);
            share(line, core);
        }
        if constexpr (Threads)
            line.seen.add(cpu);
        return out;
    }

    Movement write(LineId id, std::uint32_t cpu) {
        Line& line = lines_[id];
        const std::uint32_t core = core_of_[cpu];
        const bool holder = line.holders.has(core);
        const bool alone = line.state == LineState::exclusive || line.state == LineState::modified;
        Movement out;
        if (holder && alone) [[likely]] {
            out = held(line, core, cpu);
        } else {
            out = holder ? upgraded(line, core) : supplied(line, core);
            out.invalidated = line.holders.size() - (holder ? 1U : 0U);
        }
        line.state = LineState::modified;
        line.owner = static_cast<std::uint16_t>(core);
        line.holders.only(core);
        if constexpr (Threads)
            line.seen.only(cpu);
        return out;
    }

  private:
    struct NoSet {};
    struct Line {
        Set holders; // cores
        // CPUs that have touched it since it was last written, the writer among them.
        [[no_unique_address]] std::conditional_t<Threads, Set, NoSet> seen;
        std::uint16_t owner = 0; // a core
        LineState state = LineState::invalid;
    };
    struct Core {
        Set same_llc, same_socket;
        std::uint32_t llc_number = 0, socket_number = 0;
    };

    // The core's own cache has it; another thread of the core may have written it.
    Movement held(const Line& line, std::uint32_t core, std::uint32_t cpu) const {
        Movement out;
        if constexpr (Threads) {
            const bool dirty = line.state == LineState::modified || line.state == LineState::owned;
            if (dirty && line.owner == core && !line.seen.has(cpu)) {
                out.moved = true;
                out.distance = Distance::same_core;
                out.supplier_llc = cores_[core].llc_number;
            }
        }
        return out;
    }

    // Who supplies a line that the core does not hold.
    Movement supplied(const Line& line, std::uint32_t core) const {
        Movement out;
        out.moved = true;
        out.cold = line.state == LineState::invalid;
        const bool has_owner = line.state == LineState::exclusive || line.state == LineState::modified;
        if (out.cold)
            return out;
        const bool near = line.holders.meets(cores_[core].same_llc);
        if (near) { // its owner behind this cache, or the cache itself
            out.distance = Distance::same_llc;
            out.supplier_llc = cores_[core].llc_number;
        } else if (has_owner || line.state == LineState::owned || protocol == Protocol::mesif) {
            const Core& owner = cores_[line.owner];
            out.distance =
                owner.socket_number == cores_[core].socket_number ? Distance::cross_llc : Distance::cross_socket;
            out.supplier_llc = owner.llc_number;
        }
        return out;
    }

    // The state after a core that did not hold the line has read it.
    void share(Line& line, std::uint32_t core) {
        const LineState before = line.state;
        if (before == LineState::invalid) {
            line.state = LineState::exclusive;
            line.owner = static_cast<std::uint16_t>(core);
        } else if (protocol == Protocol::moesi && (before == LineState::modified || before == LineState::owned)) {
            line.state = LineState::owned; // its owner stays
        } else {
            line.state = LineState::shared;
            if (protocol == Protocol::mesif)
                line.owner = static_cast<std::uint16_t>(core);
        }
        line.holders.add(core);
    }

    // A holder of a shared line writes; how far the farthest copy is.
    Movement upgraded(const Line& line, std::uint32_t core) const {
        Movement out;
        out.upgrade = true;
        if (line.holders.exceeds(cores_[core].same_socket))
            out.distance = Distance::cross_socket;
        else if (line.holders.exceeds(cores_[core].same_llc))
            out.distance = Distance::cross_llc;
        else
            out.distance = Distance::same_llc;
        return out;
    }

    std::vector<Line> lines_;
    std::vector<Core> cores_;            // by core
    std::vector<std::uint32_t> core_of_; // by CPU
};

} // namespace snapscope
