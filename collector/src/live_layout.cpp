#include "attach.hpp"
#include "sql_source.hpp"

#include <snapscope/base/text.hpp>
#include <snapscope/collector/header.hpp>
#include <snapscope/collector/live_layout.hpp>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace snapscope {
namespace {

// Addresses are bigint there: the upper half of the address space would be negative.
constexpr const char* layout_sql =
    "SELECT name, address, segment_offset, stride_bytes, entries, page_bytes, numa_nodes "
    "FROM pg_catalog.pg_snapshot_layout()";
constexpr std::size_t layout_columns = 7;

std::optional<std::map<std::string, std::uint64_t>> nodes_of(const std::string& text) {
    const auto json = nlohmann::json::parse(text, nullptr, false);
    if (!json.is_object())
        return std::nullopt;
    std::map<std::string, std::uint64_t> out;
    for (const auto& [node, pages] : json.items()) {
        if (!pages.is_number_unsigned())
            return std::nullopt;
        out[node] = pages.get<std::uint64_t>();
    }
    return out;
}

std::vector<std::uint32_t> used_slots(const MemoryFile& memory) {
    std::vector<std::uint32_t> out;
    // Behind the backends stand auxiliary processes, which are in no snapshot.
    for (std::uint32_t slot = 0; slot < memory.header().max_backends; ++slot)
        if (load_counters(memory.counters(slot)).owner_pid != 0)
            out.push_back(slot);
    return out;
}

// What the server itself says; where nobody may log in, a note.
Status ask_server(const Site& site, const TargetSpec& spec, LiveLayout& out) {
    auto login = SqlSource::attach(site.proc, site.postmaster, spec);
    if (!login) {
        out.notes.push_back("no pages, no nodes, no latestCompletedXid: " + login.error().message());
        return {};
    }
    (*login)->describe(out.server);
    const auto rows = (*login)->rows(layout_sql);
    if (!rows) {
        out.notes.push_back("no pages, no nodes, no latestCompletedXid: " + rows.error().message());
        return {};
    }
    return add_layout_rows(*rows, out.arrays);
}

} // namespace

Status add_layout_rows(const std::vector<std::vector<std::string>>& rows, std::vector<LiveArray>& arrays) {
    for (const auto& row : rows) {
        if (row.size() != layout_columns)
            return fail("pg_snapshot_layout() has other columns than this program knows",
                        "use the program that was built with the server");
        const auto address = parse_integer<std::uint64_t>(row[1]);
        const auto stride = parse_integer<std::uint64_t>(row[3]);
        const auto entries = parse_integer<std::uint64_t>(row[4]);
        if (!address || !stride || !entries)
            return fail("pg_snapshot_layout() says nothing sensible about " + row[0]);
        auto array = std::ranges::find(arrays, row[0], &LiveArray::name);
        if (array == arrays.end())
            array = arrays.insert(array, {row[0], *address, *stride, *entries, {}, {}, {}});
        else if (array->address != *address || array->stride_bytes != *stride || array->entries != *entries)
            return fail("pg_snapshot_layout() and the memory file disagree about " + row[0],
                        "the login reached another server, or this is a bug of the server's build");
        array->segment_offset = parse_integer<std::uint64_t>(row[2]);
        array->page_bytes = parse_integer<std::uint64_t>(row[5]);
        array->nodes = nodes_of(row[6]);
    }
    return {};
}

Result<LiveLayout> read_live_layout(const TargetSpec& spec) {
    SNAPSCOPE_TRY(check_target(spec));
    const ProcFs proc;
    const auto postmaster = find_target(proc, spec);
    if (!postmaster)
        return fail(postmaster.error());
    const Site site = look_at(proc, *postmaster);
    if (!site.memory) {
        Error error = *site.memory_error;
        error.what = "the server does not say where its arrays lie: " + error.what;
        return fail(std::move(error));
    }
    LiveLayout out;
    out.server = site.server;
    for (const Array& array : layout_of(site.memory->header()).arrays)
        out.arrays.push_back({array.name, array.address, array.stride_bytes, array.entries, {}, {}, {}});
    out.used = used_slots(*site.memory);
    SNAPSCOPE_TRY(ask_server(site, spec, out));
    return out;
}

} // namespace snapscope
