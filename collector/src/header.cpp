#include <snapscope/collector/header.hpp>

#include <algorithm>
#include <array>
#include <bit>

namespace snapscope {
namespace {

// Above what the server allows (262143 backends, auxiliary processes and prepared transactions).
constexpr std::uint32_t max_slots = 1U << 20;
constexpr std::uint32_t max_ring_capacity = 1U << 24;
constexpr std::uint64_t max_stride_bytes = 1U << 16;
constexpr std::uint32_t auxiliary_processes = 4; // NUM_AUXILIARY_PROCS: in PGPROC, in no snapshot
constexpr std::uint64_t lock_bytes = 16;         // sizeof(LWLock)

bool on_page(std::uint64_t offset) {
    return offset % SNAPSCOPE_PAGE_BYTES == 0;
}

tl::unexpected<Error> refuse(const std::string& what) {
    return fail("the server's memory file is malformed: " + what, "this is a bug of the server's build, report it");
}

// [offset, offset + bytes) lies in [from, to); no addition can wrap.
bool inside(std::uint64_t offset, std::uint64_t bytes, std::uint64_t from, std::uint64_t to) {
    return offset >= from && offset <= to && bytes <= to - offset;
}

Status check_regions(const snapscope_header& h) {
    if (!on_page(h.consumer_offset) || !on_page(h.counters_offset) || !on_page(h.rings_offset))
        return refuse("a region does not start on a page");
    if (h.tails_offset % SNAPSCOPE_BLOCK_BYTES != 0)
        return refuse("the tails are not aligned to their block");
    // All factors are bounded by now, so no product can wrap.
    const std::uint64_t slots = h.slots;
    const std::uint64_t ring_bytes = sizeof(snapscope_head) + std::uint64_t{h.ring_capacity} * sizeof(snapscope_record);
    if (!on_page(h.ring_stride) || h.ring_stride < ring_bytes || h.ring_stride > h.total_bytes)
        return refuse("a ring does not fit its stride");
    if (h.ring_stride > h.total_bytes / slots)
        return refuse("the rings do not fit the file");
    if (!inside(h.consumer_offset, sizeof(snapscope_control), SNAPSCOPE_PAGE_BYTES, h.total_bytes) ||
        !inside(h.tails_offset, slots * sizeof(snapscope_tail), h.consumer_offset + sizeof(snapscope_control),
                h.counters_offset) ||
        !inside(h.counters_offset, slots * sizeof(snapscope_counters), h.tails_offset, h.rings_offset) ||
        !inside(h.rings_offset, slots * h.ring_stride, h.counters_offset, h.total_bytes))
        return refuse("a region lies outside its place");
    return {};
}

} // namespace

Status check_header(const snapscope_header& h, std::uint64_t file_bytes) {
    if (h.magic != SNAPSCOPE_ABI_MAGIC)
        return refuse("it does not start with the magic number");
    if (h.version != SNAPSCOPE_ABI_VERSION)
        return fail("the server speaks version " + std::to_string(h.version) + " of the probe contract, this program " +
                        std::to_string(SNAPSCOPE_ABI_VERSION),
                    "use the program that was built with the server");
    if (h.header_bytes != sizeof(snapscope_header) || h.record_bytes != sizeof(snapscope_record))
        return refuse("a structure has an unexpected size");
    if (h.total_bytes != file_bytes || !on_page(h.total_bytes))
        return refuse("its size is not what its header says");
    if (h.mode > SNAPSCOPE_MODE_LOCKFREE)
        return refuse("unknown snapshot_cache mode " + std::to_string(h.mode));
    if (h.clock != SNAPSCOPE_CLOCK_TSC && h.clock != SNAPSCOPE_CLOCK_MONOTONIC_NS)
        return refuse("unknown clock " + std::to_string(h.clock));
    if (h.slots == 0 || h.slots > max_slots)
        return refuse("implausible number of slots");
    if (h.max_connections == 0 || h.max_connections > h.max_backends || h.max_backends > h.slots)
        return refuse("max_connections, max_backends and slots contradict each other");
    if (h.postmaster_pid == 0)
        return refuse("it names no postmaster");
    if (h.server_version < 90000 || h.server_version >= 1000000)
        return refuse("implausible server version");
    if (h.max_lease_ticks == 0 || h.max_lease_ticks > UINT64_MAX / 4)
        return refuse("implausible longest lease");
    if (!std::has_single_bit(h.ring_capacity) || h.ring_capacity < 2 || h.ring_capacity > max_ring_capacity)
        return refuse("a ring's capacity is no power of two");
    if (h.pgxact_stride > max_stride_bytes || h.pgproc_stride > max_stride_bytes)
        return refuse("implausible stride of an array");
    return check_regions(h);
}

const char* mode_name(std::uint32_t mode) {
    constexpr std::array names{"off", "copy", "spin", "lockfree"};
    return mode < names.size() ? names[mode] : "n/a";
}

bool mode_tells(std::uint32_t mode, std::string_view total) {
    if (total == "snapshots_waited")
        return mode != SNAPSCOPE_MODE_OFF;
    if (total == "snapshots_lockfree" || total == "snapshots_kept" || total == "snapshots_retries")
        return mode == SNAPSCOPE_MODE_LOCKFREE;
    if (total == "snapshots_gave_up" || total == "builder_spins")
        return mode == SNAPSCOPE_MODE_SPIN;
    return true;
}

const char* reason_name(std::uint32_t reason) {
    constexpr std::array<const char*, SNAPSCOPE_REASON_COUNT> names{
        nullptr,          "xact_end",       "prepared_end",  "proc_add_xid", "subxact_abort",
        "standby_expire", "standby_assign", "recovery_info", "recovery_end", "vacuum_flag",
        "decoding_flag",  "restored_xmin",  "slot_xmin"};
    return reason < names.size() ? names[reason] : nullptr;
}

std::string version_text(std::uint32_t version_num) {
    if (version_num >= 100000)
        return std::to_string(version_num / 10000) + "." + std::to_string(version_num % 10000);
    return std::to_string(version_num / 10000) + "." + std::to_string(version_num / 100 % 100) + "." +
           std::to_string(version_num % 100);
}

Array describe_array(std::string name, std::uint64_t address, std::uint64_t stride_bytes, std::uint64_t entries) {
    constexpr std::uint64_t line_bytes = 64;
    Array array;
    array.name = std::move(name);
    array.address = address;
    array.stride_bytes = stride_bytes;
    array.entries = entries;
    if (stride_bytes == 0 || entries == 0)
        return array;
    array.lines = (address % line_bytes + stride_bytes * entries - 1) / line_bytes + 1;
    for (std::uint64_t i = 0; i < entries; ++i) {
        const std::uint64_t start = (address % line_bytes + i * stride_bytes) % line_bytes;
        array.straddling_entries += start + stride_bytes > line_bytes ? 1 : 0;
    }
    return array;
}

Layout layout_of(const snapscope_header& h) {
    Layout layout;
    const auto add = [&](const char* name, std::uint64_t address, std::uint64_t stride, std::uint64_t entries) {
        if (address != 0 && stride != 0)
            layout.arrays.push_back(describe_array(name, address, stride, entries));
    };
    // Names, strides and entries as pg_snapshot_layout() has them.
    add("PGXACT", h.pgxact_address, h.pgxact_stride, h.slots);
    add("PGPROC", h.pgproc_address, h.pgproc_stride, h.slots);
    add("pgprocnos", h.pgprocnos_address, 4, h.slots - std::min(h.slots, auxiliary_processes));
    add("ProcArrayLock", h.lock_address, lock_bytes, 1);
    add("snapshot_copy", h.copy_address, h.copy_bytes, 1);
    return layout;
}

} // namespace snapscope
