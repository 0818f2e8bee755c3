#include <snapscope/analyzer/layout.hpp>
#include <snapscope/analyzer/line_space.hpp>
#include <snapscope/analyzer/shmem_offsets.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

namespace snapscope {
namespace {

constexpr std::uint64_t usual_page_bytes = 4096;

struct Lines {
    std::uint64_t first = 0, last = 0;
};

// Of one entry, counted from the array's first line.
Lines lines_of(const ArrayPlace& array, std::uint64_t entry) {
    const std::uint64_t from = array.address_mod_64 + entry * array.stride_bytes;
    return {from / line_bytes, (from + array.stride_bytes - 1) / line_bytes};
}

std::uint64_t spanned(const ArrayPlace& array, std::uint64_t first, std::uint64_t count) {
    return lines_of(array, first + count - 1).last - lines_of(array, first).first + 1;
}

// Lines of COUNT entries side by side where they take the fewest.
std::uint64_t densest(const ArrayPlace& array, std::uint64_t count) {
    std::uint64_t fewest = spanned(array, 0, count);
    // Residues repeat after at most a line's length of entries.
    for (std::uint64_t first = 1; first + count <= array.entries && first < line_bytes; ++first)
        fewest = std::min(fewest, spanned(array, first, count));
    return fewest;
}

} // namespace

ArrayPlace place_array(std::string name, std::uint64_t address, std::uint64_t stride_bytes, std::uint64_t entries,
                       std::optional<std::uint64_t> page_bytes) {
    ArrayPlace out;
    out.name = std::move(name);
    out.address_mod_64 = address % line_bytes;
    out.stride_bytes = stride_bytes;
    out.entries = entries;
    out.page_bytes = page_bytes;
    out.address = address;
    if (stride_bytes == 0 || entries == 0)
        return out;
    out.lines = spanned(out, 0, entries);
    for (std::uint64_t i = 0; i < entries; ++i)
        out.straddling_entries +=
            (out.address_mod_64 + i * stride_bytes) % line_bytes + stride_bytes > line_bytes ? 1 : 0;
    const std::uint64_t page = page_bytes.value_or(usual_page_bytes);
    if (page != 0)
        out.pages = (address + stride_bytes * entries - 1) / page - address / page + 1;
    return out;
}

bool plausible(const Array& array) {
    constexpr std::uint64_t most_entries = std::uint64_t{1} << 22U;
    constexpr std::uint64_t most_stride = std::uint64_t{1} << 32U;
    return array.entries <= most_entries && array.stride_bytes <= most_stride && array.address <= ~std::uint64_t{0} / 2;
}

ActiveSlots describe_slots(const ArrayPlace& pgxact, std::vector<std::uint32_t> slots) {
    std::ranges::sort(slots);
    slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
    std::erase_if(slots, [&](std::uint32_t slot) { return slot >= pgxact.entries; });
    ActiveSlots out;
    out.count = slots.size();
    if (slots.empty() || pgxact.stride_bytes == 0)
        return out;
    out.first = slots.front();
    out.last = slots.back();
    std::map<std::uint64_t, std::vector<std::uint32_t>> by_line;
    std::uint64_t apart = 0; // lines if none held two
    for (const std::uint32_t slot : slots) {
        const Lines lines = lines_of(pgxact, slot);
        apart += lines.last - lines.first + 1;
        for (std::uint64_t line = lines.first; line <= lines.last; ++line)
            by_line[line].push_back(slot);
    }
    out.lines = by_line.size();
    for (auto& [line, on_it] : by_line)
        if (on_it.size() > 1)
            out.shared_lines.push_back({line, std::move(on_it), {}});
    const std::uint64_t dense = densest(pgxact, out.count);
    const std::uint64_t most = std::min(apart, pgxact.lines);
    if (out.count > 1)
        out.scattered_fraction =
            most <= dense || out.lines <= dense
                ? 0
                : std::min(1.0, static_cast<double>(out.lines - dense) / static_cast<double>(most - dense));
    return out;
}

LayoutReport compute_layout(const ProcSettings& settings) {
    LayoutReport out;
    out.source = "computed";
    out.server = "13";
    out.max_connections = settings.max_connections;
    const ShmemOffsets offsets = shmem_offsets_13(settings);
    const std::uint64_t procs = settings.slots();
    const std::uint64_t numbers = settings.max_backends() + settings.max_prepared_transactions;
    const auto add = [&](const char* name, std::uint64_t offset, std::uint64_t stride, std::uint64_t entries) {
        ArrayPlace array = place_array(name, offset, stride, entries, std::nullopt); // the segment begins on a page
        array.segment_offset = offset;
        array.address.reset();
        out.arrays.push_back(std::move(array));
    };
    add("PGXACT", offsets.pgxact, pgxact_bytes, procs);
    add("PGPROC", offsets.pgproc, pgproc_bytes, procs);
    add("pgprocnos", offsets.pgprocnos, 4, numbers);
    add("ProcArrayLock", offsets.proc_array_lock, lwlock_bytes, 1);
    add("latestCompletedXid", offsets.latest_completed_xid, 4, 1);
    if (offsets.snapshot_copy)
        add("snapshot_copy", *offsets.snapshot_copy, snapshot_copy_bytes(numbers), 1);
    out.notes = {"pages are of 4096 bytes, and the segment begins on one; its address and the pages' nodes: ask a live "
                 "server"};
    return out;
}

} // namespace snapscope
