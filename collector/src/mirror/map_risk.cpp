#include "map_risk.hpp"

#include <snapscope/base/text.hpp>

#include <algorithm>
#include <fmt/format.h>

namespace snapscope::mirror {
namespace {

constexpr int strict_overcommit = 2;
constexpr const char* cgroup_root = "/sys/fs/cgroup";

std::optional<std::uint64_t> number_in(const std::filesystem::path& file) {
    const auto text = read_text(file);
    return text ? parse_integer<std::uint64_t>(trim(*text)) : std::nullopt;
}

// What is left in one group; none where it has no limit.
std::optional<std::uint64_t> head_room(const std::filesystem::path& folder, bool version_1) {
    const auto limit = number_in(folder / (version_1 ? "memory.limit_in_bytes" : "memory.max")); // "max" is no number
    const auto used = number_in(folder / (version_1 ? "memory.usage_in_bytes" : "memory.current"));
    if (!limit)
        return std::nullopt;
    return used && *used < *limit ? *limit - *used : 0;
}

std::optional<std::uint64_t> head_room_of(const ProcFs& proc, pid_t pid) {
    bool version_1 = false;
    const auto text = read_text(proc.path(pid, "cgroup"));
    const auto path = text ? memory_cgroup(*text, version_1) : std::nullopt;
    if (!path)
        return std::nullopt;
    std::filesystem::path at = std::filesystem::path(*path).relative_path();
    const std::filesystem::path top = std::filesystem::path(cgroup_root) / (version_1 ? "memory" : "");
    std::optional<std::uint64_t> least;
    for (;; at = at.parent_path()) {
        if (const auto room = head_room(top / at, version_1))
            least = std::min(least.value_or(*room), *room);
        if (at.empty())
            return least;
    }
}

} // namespace

std::optional<std::string> map_risk(const MapFacts& facts) {
    if (facts.pages == PageKind::huge)
        return "its shared memory is of huge pages, of which a held segment may leave too few for a restart";
    if (!facts.overcommit || *facts.overcommit == strict_overcommit)
        return "vm.overcommit_memory is 2 or not known, and a held segment counts against the limit";
    const std::uint64_t needed = 2 * facts.segment_bytes;
    const auto too_little = [&](std::uint64_t bytes, const char* where) {
        return fmt::format("{} MB are free in {}, less than twice its segment of {} MB", bytes >> 20U, where,
                           facts.segment_bytes >> 20U);
    };
    if (!facts.available_bytes)
        return "the free memory is not known";
    if (*facts.available_bytes < needed)
        return too_little(*facts.available_bytes, "memory");
    if (facts.head_room_bytes && *facts.head_room_bytes < needed)
        return too_little(*facts.head_room_bytes, "the server's control group");
    return std::nullopt;
}

std::optional<std::uint64_t> meminfo_bytes(std::string_view text, std::string_view name) {
    for (const auto& line : split(text, '\n')) {
        std::string_view rest = line;
        if (!rest.starts_with(name) || !rest.substr(name.size()).starts_with(":") || !rest.ends_with(" kB"))
            continue;
        rest.remove_prefix(name.size() + 1);
        rest.remove_suffix(3);
        const auto kilobytes = parse_integer<std::uint64_t>(trim(rest));
        return kilobytes ? std::optional(*kilobytes << 10U) : std::nullopt;
    }
    return std::nullopt;
}

std::optional<std::string> memory_cgroup(std::string_view text, bool& version_1) {
    std::optional<std::string> unified;
    for (const auto& line : split(text, '\n')) {
        const auto first = line.find(':');
        const auto second = first == std::string::npos ? first : line.find(':', first + 1);
        if (second == std::string::npos)
            continue;
        const auto controllers = split(line.substr(first + 1, second - first - 1), ',');
        if (std::ranges::find(controllers, "memory") != controllers.end()) {
            version_1 = true;
            return line.substr(second + 1);
        }
        if (line.starts_with("0::"))
            unified = line.substr(second + 1);
    }
    version_1 = false;
    return unified;
}

MapFacts map_facts(const ProcFs& proc, pid_t postmaster, const Mapped& segment) {
    MapFacts facts;
    facts.pages = page_kind(segment).value_or(PageKind::huge);
    facts.segment_bytes = segment.bytes();
    if (const auto text = read_text("/proc/sys/vm/overcommit_memory"))
        facts.overcommit = parse_integer<int>(trim(*text));
    if (const auto text = read_text("/proc/meminfo"))
        facts.available_bytes = meminfo_bytes(*text, "MemAvailable");
    facts.head_room_bytes = head_room_of(proc, postmaster);
    return facts;
}

} // namespace snapscope::mirror
