// A run's layout, and its slots before and after.
#include <snapscope/analyzer/layout.hpp>
#include <snapscope/probes/abi.h>

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace snapscope {
namespace {

constexpr std::size_t events_at_once = 4096;

// Slots whose first event is that they were taken were free before.
struct SlotChanges {
    std::uint64_t taken = 0, released = 0;
    std::set<std::uint32_t> seen, free_before, used_after, free_after;
};

Result<SlotChanges> read_changes(const std::filesystem::path& folder) {
    auto reader = EventTraceReader::open(folder);
    if (!reader)
        return fail(reader.error());
    SlotChanges out;
    std::vector<EventTraceReader::Item> items(events_at_once);
    for (;;) {
        const auto got = reader->read(items);
        if (!got)
            return fail(got.error());
        if (*got == 0)
            return out;
        for (const auto& item : std::span(items).first(*got)) {
            const Event& event = item.event;
            const bool taken = event.type == SNAPSCOPE_EV_SLOT_TAKEN;
            const bool released = event.type == SNAPSCOPE_EV_SLOT_RELEASED;
            if (out.seen.insert(event.slot).second && taken)
                out.free_before.insert(event.slot);
            if (!taken && !released)
                continue;
            out.taken += taken ? 1U : 0U;
            out.released += released ? 1U : 0U;
            (taken ? out.used_after : out.free_after).insert(event.slot);
            (taken ? out.free_after : out.used_after).erase(event.slot);
        }
    }
}

// The socket of the CPU where each slot ran longest.
std::map<std::uint32_t, std::uint32_t> sockets_of(const Run& run) {
    std::map<std::uint32_t, std::uint32_t> socket_of_cpu;
    for (const Cpu& cpu : run.host.cpus)
        socket_of_cpu[cpu.cpu] = cpu.socket;
    std::map<std::uint32_t, std::uint32_t> out;
    for (const Slot& slot : run.slots) {
        const auto longest = std::ranges::max_element(slot.residency, {}, &CpuShare::run_ns);
        if (longest == slot.residency.end())
            continue;
        if (const auto socket = socket_of_cpu.find(longest->cpu); socket != socket_of_cpu.end())
            out[slot.slot] = socket->second;
    }
    return out;
}

// What the recorder saw of the pages that ARRAY lies on.
void add_pages(const MemoryPlacement& memory, ArrayPlace& array) {
    if (array.address && *array.address >= memory.segment_address)
        array.segment_offset = *array.address - memory.segment_address;
    std::map<std::string, std::uint64_t> nodes;
    for (const HotPage& page : memory.pages)
        if (page.array == array.name)
            ++nodes[page.node ? std::to_string(*page.node) : "absent"];
    if (!nodes.empty() && !(nodes.size() == 1 && nodes.contains("absent")))
        array.numa_nodes = std::move(nodes);
}

void add_sockets(ActiveSlots& active, const std::map<std::uint32_t, std::uint32_t>& sockets) {
    for (SharedLine& line : active.shared_lines)
        for (const std::uint32_t slot : line.slots) {
            const auto socket = sockets.find(slot);
            if (socket == sockets.end()) {
                line.sockets.clear();
                break;
            }
            line.sockets.push_back(socket->second);
        }
}

} // namespace

const Array* scanned_array(const Run& run) {
    for (const char* name : {"PGXACT", "xids"})
        if (const auto at = std::ranges::find(run.layout.arrays, name, &Array::name); at != run.layout.arrays.end())
            return &*at;
    return nullptr;
}

std::vector<std::uint32_t> used_slots(const Run& run) {
    std::vector<std::uint32_t> out;
    for (const Slot& slot : run.slots)
        if (slot.pid)
            out.push_back(slot.slot);
    return out;
}

Result<LayoutReport> layout_of_run(const Run& run, const std::filesystem::path& events_folder) {
    LayoutReport out;
    out.source = "run";
    out.server = run.server.version;
    out.max_connections = run.server.max_connections;
    const Array* pgxact = scanned_array(run);
    for (const Array& array : run.layout.arrays) {
        if (!plausible(array))
            return fail(fmt::format("{} with {} entries of {} bytes is no array of a server", array.name, array.entries,
                                    array.stride_bytes));
        const auto page_bytes = run.layout.memory ? run.layout.memory->page_bytes : std::nullopt;
        out.arrays.push_back(place_array(array.name, array.address, array.stride_bytes, array.entries, page_bytes));
        if (run.layout.memory)
            add_pages(*run.layout.memory, out.arrays.back());
    }
    if (pgxact == nullptr)
        return fail("the run does not say where the array of backends lies", "record a patched server");
    if (!run.layout.memory || !run.layout.memory->page_bytes)
        out.notes = {"pages are counted as pages of 4096 bytes: the run does not say which ones the server has"};
    if (run.layout.memory)
        out.notes.insert(out.notes.end(), run.layout.memory->notes.begin(), run.layout.memory->notes.end());

    const auto place = *std::ranges::find(out.arrays, pgxact->name, &ArrayPlace::name);
    const auto used = used_slots(run);
    const auto sockets = sockets_of(run);
    out.active = describe_slots(place, used);
    add_sockets(*out.active, sockets);
    if (!run.events)
        return out;
    const auto changes = read_changes(events_folder);
    if (!changes)
        return fail(changes.error());
    std::vector<std::uint32_t> before = used;
    before.insert(before.end(), changes->free_after.begin(), changes->free_after.end());
    std::erase_if(before, [&](std::uint32_t slot) { return changes->free_before.contains(slot); });
    Churn churn{changes->taken, changes->released, describe_slots(place, std::move(before)), *out.active};
    add_sockets(churn.before, sockets);
    out.churn = std::move(churn);
    return out;
}

} // namespace snapscope
