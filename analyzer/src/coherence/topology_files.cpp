// Topologies that lscpu and hwloc wrote.
#include "topology_build.hpp"

#include <snapscope/base/files.hpp>
#include <snapscope/base/text.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <hwloc.h>
#include <memory>

namespace snapscope {
namespace {

constexpr std::size_t max_file_bytes = std::size_t{8} << 20;

// ---- lscpu -p ----

std::string lower(std::string_view text) {
    std::string out(text);
    std::ranges::transform(out, out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return out;
}

// Which column holds what; lscpu names them in its last comment line.  The
// caches follow an empty column, or stand in one as "l1d:l1i:l2:l3".
struct Columns {
    std::optional<std::size_t> cpu, core, socket, llc;
    bool llc_is_last_part = false;
};

Columns columns_of(std::string_view header) {
    Columns out;
    const auto names = split(header, ',');
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::string name = lower(trim(names[i]));
        if (name == "cpu")
            out.cpu = i;
        else if (name == "core")
            out.core = i;
        else if (name == "socket")
            out.socket = i;
        else if (name == "l3" || (name == "l2" && !out.llc))
            out.llc = i;
        else if (name.find(':') != std::string::npos) {
            out.llc = i;
            out.llc_is_last_part = true;
        }
    }
    return out;
}

std::optional<std::uint32_t> field(const std::vector<std::string>& fields, std::optional<std::size_t> column,
                                   bool last_part = false) {
    if (!column || *column >= fields.size())
        return std::nullopt;
    std::string_view text = trim(fields[*column]);
    if (last_part)
        text = text.substr(text.rfind(':') + 1);
    return parse_integer<std::uint32_t>(text);
}

Result<Topology> from_lscpu(std::string_view text, const std::string& name) {
    Columns columns;
    std::vector<RawCpu> raw;
    std::size_t number = 0;
    for (const std::string& each : split(text, '\n')) {
        ++number;
        const std::string_view line = trim(each);
        if (line.empty())
            continue;
        if (line.front() == '#') {
            if (const Columns found = columns_of(line.substr(1)); found.cpu)
                columns = found;
            continue;
        }
        const auto fields = split(line, ',');
        const auto cpu = field(fields, columns.cpu);
        const auto core = field(fields, columns.core);
        const auto socket = field(fields, columns.socket);
        if (!cpu || !core || !socket)
            return fail(fmt::format("{}:{}: no CPU, core and socket as lscpu -p writes them", name, number),
                        "give the whole output of lscpu -p");
        raw.push_back({*cpu, *core, field(fields, columns.llc, columns.llc_is_last_part), *socket});
    }
    return build_topology(std::move(raw), name, "file");
}

// ---- hwloc ----

struct Destroy {
    void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Handle = std::unique_ptr<hwloc_topology, Destroy>;

std::optional<std::uint32_t> ancestor(hwloc_topology_t topology, hwloc_obj_t object, hwloc_obj_type_t type) {
    const hwloc_obj_t found = hwloc_get_ancestor_obj_by_type(topology, type, object);
    return found != nullptr ? std::optional(found->logical_index) : std::nullopt;
}

Result<Topology> from_hwloc(std::string_view text, const std::string& name) {
    const auto refuse = [&] {
        return fail(fmt::format("{} is no topology that hwloc can read", name), "lstopo --of xml FILE writes one");
    };
    hwloc_topology_t raw_handle = nullptr;
    if (hwloc_topology_init(&raw_handle) != 0)
        return fail("cannot set up hwloc");
    const Handle handle(raw_handle);
    const std::string copy(text);
    const bool xml = copy.starts_with('<');
    const int set = xml ? hwloc_topology_set_xmlbuffer(raw_handle, copy.c_str(), static_cast<int>(copy.size()) + 1)
                        : hwloc_topology_set_synthetic(raw_handle, copy.c_str());
    if (set != 0 || hwloc_topology_load(raw_handle) != 0)
        return refuse();
    std::vector<RawCpu> raw;
    for (hwloc_obj_t pu = nullptr; (pu = hwloc_get_next_obj_by_type(raw_handle, HWLOC_OBJ_PU, pu)) != nullptr;) {
        RawCpu cpu;
        cpu.cpu = pu->os_index;
        cpu.core = ancestor(raw_handle, pu, HWLOC_OBJ_CORE).value_or(pu->logical_index);
        cpu.socket = ancestor(raw_handle, pu, HWLOC_OBJ_PACKAGE).value_or(0);
        cpu.llc = ancestor(raw_handle, pu, HWLOC_OBJ_L3CACHE);
        if (!cpu.llc)
            cpu.llc = ancestor(raw_handle, pu, HWLOC_OBJ_L2CACHE);
        raw.push_back(cpu);
        if (raw.size() > max_topology_cpus)
            break; // refused below
    }
    return build_topology(std::move(raw), name, "file");
}

} // namespace

Result<Topology> topology_from_text(std::string_view text, const std::string& name) {
    const std::string_view content = trim(text);
    if (content.empty())
        return fail(fmt::format("{} is empty", name));
    if (content.find('\0') != std::string_view::npos)
        return fail(fmt::format("{} is no text", name));
    const bool lscpu = content.front() == '#' || (content.front() >= '0' && content.front() <= '9');
    return lscpu ? from_lscpu(content, name) : from_hwloc(content, name);
}

Result<Topology> read_topology(const std::filesystem::path& file) {
    const auto text = read_file(file, max_file_bytes);
    if (!text)
        return fail(text.error());
    return topology_from_text(*text, file.string());
}

Result<Topology> find_topology(const std::string& shape_or_file) {
    auto shape = topology_from_shape(shape_or_file);
    if (shape)
        return shape;
    std::error_code error;
    if (!std::filesystem::exists(shape_or_file, error))
        return shape;
    return read_topology(shape_or_file);
}

} // namespace snapscope
