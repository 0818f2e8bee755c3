#include "page_placement.hpp"

#include "mirror/map_risk.hpp"
#include "mirror/process_maps.hpp"

#include <snapscope/base/text.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace snapscope {
namespace {

// PGPROC is left out: large, and a snapshot of 13 does not read it.
constexpr std::array<std::string_view, 7> hot_arrays{"PGXACT",    "xids",          "subxidStates", "statusFlags",
                                                     "pgprocnos", "ProcArrayLock", "snapshot_copy"};
// numa_maps walks the page tables that the process has filled, under the lock
// that its next fork needs: above this much it is left alone.
constexpr std::uint64_t most_walked_bytes = std::uint64_t{4} << 30U;
constexpr std::size_t most_numa_maps_bytes = std::size_t{8} << 20U;

// Documentation/admin-guide/mm/pagemap.rst
constexpr std::uint64_t pagemap_present = std::uint64_t{1} << 63U;
constexpr std::uint64_t pagemap_frame = (std::uint64_t{1} << 55U) - 1;

bool is_hot(const Array& array) {
    return array.address != 0 && std::ranges::find(hot_arrays, array.name) != hot_arrays.end();
}

std::optional<std::string> setting(const char* file) {
    const auto text = read_text(file);
    return text ? std::optional(std::string(trim(*text))) : std::nullopt;
}

void put_mapping(const ProcFs& proc, pid_t pid, MemoryPlacement& out) {
    const auto status = read_text(proc.path(pid, "status"));
    const auto walked = status ? mirror::meminfo_bytes(*status, "RssShmem") : std::nullopt;
    if (walked && *walked > most_walked_bytes) {
        out.notes.push_back(fmt::format("page size and policy: not asked, {} MB of shared memory are mapped in pid {}",
                                        *walked >> 20U, pid));
        return;
    }
    const auto text = read_text(proc.path(pid, "numa_maps"), most_numa_maps_bytes);
    const auto mapping = text ? find_numa_mapping(*text, out.segment_address) : std::nullopt;
    if (!mapping) {
        out.notes.push_back(
            fmt::format("page size and policy: {}", text ? "numa_maps does not tell" : "numa_maps cannot be read"));
        return;
    }
    out.policy = mapping->policy;
    out.page_bytes = mapping->page_bytes;
}

void put_frames(const ProcFs& proc, pid_t pid, MemoryPlacement& out) {
    const auto unit = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    const int file = ::open(proc.path(pid, "pagemap").c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        out.notes.push_back(fmt::format("page frames: {}", std::strerror(errno)));
        return;
    }
    bool hidden = false;
    for (HotPage& page : out.pages) {
        std::uint64_t entry = 0;
        const auto at = static_cast<off_t>(page.address / unit * sizeof entry);
        if (::pread(file, &entry, sizeof entry, at) != sizeof entry || (entry & pagemap_present) == 0)
            continue;
        // The kernel shows 0 to who lacks the right.
        if ((entry & pagemap_frame) == 0)
            hidden = true;
        else
            page.frame = entry & pagemap_frame;
    }
    ::close(file);
    if (hidden)
        out.notes.emplace_back("page frames: need CAP_SYS_ADMIN");
}

void put_nodes(pid_t pid, MemoryPlacement& out) {
    std::vector<std::uint64_t> addresses;
    for (const HotPage& page : out.pages)
        addresses.push_back(page.address);
    const auto nodes = page_nodes(pid, addresses);
    if (!nodes)
        out.notes.push_back(nodes.error().what);
    for (std::size_t i = 0; nodes && i < nodes->size(); ++i)
        out.pages[i].node = (*nodes)[i];
}

} // namespace

std::optional<NumaMapping> find_numa_mapping(std::string_view text, std::uint64_t start) {
    for (const std::string& line : split(text, '\n')) {
        const auto words = split(line, ' ');
        if (words.size() < 2 || parse_integer<std::uint64_t>(words[0], 16) != start)
            continue;
        NumaMapping out{start, words[1], std::nullopt};
        constexpr std::string_view size = "kernelpagesize_kB=";
        for (const std::string& word : words)
            if (word.starts_with(size))
                if (const auto kilobytes = parse_integer<std::uint32_t>(word.substr(size.size())))
                    out.page_bytes = std::uint64_t{*kilobytes} << 10U;
        return out;
    }
    return std::nullopt;
}

Result<std::vector<std::optional<std::uint32_t>>> page_nodes(pid_t pid, const std::vector<std::uint64_t>& addresses) {
    std::vector<void*> pages;
    pages.reserve(addresses.size());
    for (const std::uint64_t address : addresses)
        pages.push_back(reinterpret_cast<void*>(address)); // NOLINT(performance-no-int-to-ptr): never followed here
    std::vector<int> nodes(pages.size(), -1);
    // With no target nodes it only tells (move_pages(2)).
    if (::syscall(SYS_move_pages, pid, pages.size(), pages.data(), nullptr, nodes.data(), 0) != 0)
        return fail_errno("NUMA nodes", errno);
    std::vector<std::optional<std::uint32_t>> out;
    for (const int node : nodes)
        out.push_back(node >= 0 ? std::optional(static_cast<std::uint32_t>(node)) : std::nullopt);
    return out;
}

std::vector<std::uint64_t> pages_of(const Array& array, std::uint64_t page_bytes) {
    std::vector<std::uint64_t> out;
    if (array.entries == 0 || array.stride_bytes == 0 || page_bytes == 0)
        return out;
    const std::uint64_t last = array.address + array.entries * array.stride_bytes - 1;
    for (std::uint64_t page = array.address / page_bytes * page_bytes; page <= last && out.size() < most_hot_pages;
         page += page_bytes)
        out.push_back(page);
    return out;
}

std::optional<MemoryPlacement> memory_placement(const ProcFs& proc, pid_t pid, const std::vector<Array>& arrays) {
    const auto first = std::ranges::find_if(arrays, is_hot);
    const auto text = read_text(proc.path(pid, "maps"));
    const auto maps = text ? mirror::parse_maps(*text) : fail("maps cannot be read", "");
    if (first == arrays.end() || !maps)
        return std::nullopt;
    const auto mapping = mirror::mapping_at(*maps, first->address);
    if (!mapping)
        return std::nullopt;
    MemoryPlacement out;
    out.segment_address = mapping->start;
    put_mapping(proc, pid, out);
    out.numa_balancing = setting("/proc/sys/kernel/numa_balancing");
    if (const auto words = setting("/sys/kernel/mm/transparent_hugepage/shmem_enabled"))
        out.shmem_huge_pages = chosen_word(*words);
    const auto page_bytes = out.page_bytes.value_or(static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)));
    for (const Array& array : arrays)
        if (is_hot(array) && mapping->holds(array.address))
            for (const std::uint64_t page : pages_of(array, page_bytes))
                out.pages.push_back({array.name, page, std::nullopt, std::nullopt});
    put_frames(proc, pid, out);
    put_nodes(pid, out);
    return out;
}

} // namespace snapscope
