// The machine that the coherence model runs on: CPUs in cores, cores in
// last-level caches, those in sockets.  From a shape ("2x24"), from a file that
// lscpu or hwloc wrote, or from the host that a run was recorded on.
#pragma once

#include <snapscope/base/result.hpp>
#include <snapscope/recording/run.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace snapscope {

// How far a cache line travelled; a transfer has exactly one.
enum class Distance : std::uint8_t {
    same_core,    // between hardware threads of one core: no line leaves it
    same_llc,     // other cores behind one last-level cache, or that cache itself
    cross_llc,    // another last-level cache of the socket
    cross_socket, // another socket
    from_memory,  // no cache supplied it
};
inline constexpr std::size_t distance_count = 5;
[[nodiscard]] const char* to_string(Distance distance);

struct Topology {
    std::string name;   // what was asked for: "2x24", a file, "the run's host"
    std::string source; // shape, file, run
    // By index: `cpu` is the number that the system gives it, `core`, `llc` and
    // `socket` are dense from 0, each within the whole machine.
    struct Place {
        std::uint32_t cpu = 0, core = 0, llc = 0, socket = 0;
    };
    std::vector<Place> cpus;
    std::uint32_t cores = 0, llcs = 0, sockets = 0;
    bool llc_assumed = false; // nobody said which caches are shared: one a socket

    [[nodiscard]] bool threads_share_cores() const { return cores < cpus.size(); }
    // Between two CPUs by index; never from_memory.
    [[nodiscard]] Distance distance(std::size_t a, std::size_t b) const;
    // "2 sockets, 2 last-level caches, 48 cores, 48 CPUs"
    [[nodiscard]] std::string describe() const;
};

inline constexpr std::size_t max_topology_cpus = 1024;

// "SxC", "SxLxC" or "SxLxCxT": sockets, last-level caches a socket, cores a
// cache, threads a core; or a name: "epyc" (2x8x3x2, an EPYC 7451).  CPUs are
// numbered core by core, the second threads behind all first ones, as Linux does.
// Class usage where it is none.
[[nodiscard]] Result<Topology> topology_from_shape(std::string_view shape);

// `lscpu -p` (any columns, CPU, CORE and SOCKET among them), hwloc's XML, or a
// line of hwloc's synthetic notation ("package:2 l3:1 core:24 pu:1").
[[nodiscard]] Result<Topology> topology_from_text(std::string_view text, const std::string& name);
[[nodiscard]] Result<Topology> read_topology(const std::filesystem::path& file);

// A shape, or else the file of that name.
[[nodiscard]] Result<Topology> find_topology(const std::string& shape_or_file);

[[nodiscard]] Result<Topology> topology_of(const Host& host);

} // namespace snapscope
