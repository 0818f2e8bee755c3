#include "topology_build.hpp"

#include <snapscope/base/text.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace snapscope {
namespace {

constexpr std::array<const char*, distance_count> distance_words{"same_core", "same_llc", "cross_llc", "cross_socket",
                                                                 "from_memory"};

struct NamedShape {
    std::string_view name, shape;
};
constexpr std::array named_shapes{NamedShape{"epyc", "2x8x3x2"}};

// Dense numbers in the order of appearance.
class Numbering {
  public:
    std::uint32_t operator()(std::uint64_t key) {
        return numbers_.try_emplace(key, static_cast<std::uint32_t>(numbers_.size())).first->second;
    }
    [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(numbers_.size()); }

  private:
    std::map<std::uint64_t, std::uint32_t> numbers_;
};

std::uint64_t within(std::uint32_t outer, std::uint32_t inner) {
    return (std::uint64_t{outer} << 32U) | inner;
}

tl::unexpected<Error> no_shape(std::string_view shape) {
    return fail(fmt::format("'{}' is no topology", shape),
                "sockets x cores (2x24), sockets x caches x cores (2x8x3), with threads (2x8x3x2), epyc, or a file of "
                "lscpu -p or hwloc",
                ErrorClass::usage);
}

} // namespace

const char* to_string(Distance distance) {
    return distance_words.at(static_cast<std::size_t>(distance));
}

Distance Topology::distance(std::size_t a, std::size_t b) const {
    const Place& one = cpus[a];
    const Place& other = cpus[b];
    if (one.core == other.core)
        return Distance::same_core;
    if (one.llc == other.llc)
        return Distance::same_llc;
    return one.socket == other.socket ? Distance::cross_llc : Distance::cross_socket;
}

std::string Topology::describe() const {
    const auto count = [](std::size_t n, const char* noun) {
        return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
    };
    return fmt::format("{}, {}, {}, {}", count(sockets, "socket"), count(llcs, "last-level cache"),
                       count(cores, "core"), count(cpus.size(), "CPU"));
}

Result<Topology> build_topology(std::vector<RawCpu> raw, std::string name, std::string source) {
    if (raw.empty())
        return fail(fmt::format("the topology {} has no CPU", name));
    if (raw.size() > max_topology_cpus)
        return fail(
            fmt::format("the topology {} has {} CPUs; the model takes {}", name, raw.size(), max_topology_cpus));
    std::ranges::sort(raw, {}, &RawCpu::cpu);
    if (std::ranges::adjacent_find(raw, {}, &RawCpu::cpu) != raw.end())
        return fail(fmt::format("the topology {} names a CPU twice", name));
    Topology out;
    out.name = std::move(name);
    out.source = std::move(source);
    out.llc_assumed = std::ranges::any_of(raw, [](const RawCpu& cpu) { return !cpu.llc; });
    Numbering sockets, llcs, cores;
    for (const RawCpu& cpu : raw) {
        Topology::Place place;
        place.cpu = cpu.cpu;
        place.socket = sockets(cpu.socket);
        place.llc = llcs(within(place.socket, out.llc_assumed ? 0 : *cpu.llc));
        place.core = cores(within(place.socket, cpu.core));
        out.cpus.push_back(place);
    }
    out.sockets = sockets.count();
    out.llcs = llcs.count();
    out.cores = cores.count();
    std::vector<std::uint32_t> llc_of_core(out.cores, ~0U);
    for (const Topology::Place& place : out.cpus) {
        std::uint32_t& llc = llc_of_core[place.core];
        if (llc != ~0U && llc != place.llc)
            return fail(fmt::format("the topology {} has a core behind two last-level caches", out.name));
        llc = place.llc;
    }
    return out;
}

Result<Topology> topology_from_shape(std::string_view shape) {
    std::string_view meaning = shape;
    for (const NamedShape& named : named_shapes)
        if (named.name == shape)
            meaning = named.shape;
    std::vector<std::uint32_t> sizes;
    for (const std::string& part : split(meaning, 'x')) {
        const auto size = parse_integer<std::uint32_t>(part);
        if (!size || *size == 0 || *size > max_topology_cpus)
            return no_shape(shape);
        sizes.push_back(*size);
    }
    if (sizes.size() < 2 || sizes.size() > 4)
        return no_shape(shape);
    if (sizes.size() == 2)
        sizes.insert(sizes.begin() + 1, 1); // one last-level cache a socket
    if (sizes.size() == 3)
        sizes.push_back(1);
    const std::uint64_t cores = std::uint64_t{sizes[0]} * sizes[1] * sizes[2];
    if (cores * sizes[3] > max_topology_cpus)
        return fail(fmt::format("{} are more CPUs than the model takes ({})", shape, max_topology_cpus), "",
                    ErrorClass::usage);
    std::vector<RawCpu> raw;
    for (std::uint32_t thread = 0; thread < sizes[3]; ++thread)
        for (std::uint32_t core = 0; core < cores; ++core)
            raw.push_back({static_cast<std::uint32_t>(thread * cores + core), core, core / sizes[2],
                           core / (sizes[1] * sizes[2])});
    return build_topology(std::move(raw), std::string(shape), "shape");
}

Result<Topology> topology_of(const Host& host) {
    std::vector<RawCpu> raw;
    for (const Cpu& cpu : host.cpus)
        raw.push_back({cpu.cpu, cpu.core, cpu.llc, cpu.socket});
    return build_topology(std::move(raw), "the run's host", "run");
}

} // namespace snapscope
