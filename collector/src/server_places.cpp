#include "server_places.hpp"

#include "mirror/layout.hpp"
#include "page_placement.hpp"

#include <snapscope/collector/header.hpp>

#include <algorithm>

namespace snapscope {
namespace {

constexpr std::uint32_t word_bytes = 4;
constexpr std::uint32_t proc_lock_bytes = 256; // myProcLocks: 16 list heads

std::uint32_t field_bytes(std::string_view name) {
    if (name == "statusFlags")
        return 1;
    if (name == "subxidStatus")
        return 2;
    return name == "myProcLocks" ? proc_lock_bytes : word_bytes;
}

// The fields of TYPE that LAYOUT knows.
std::vector<PlacedField> fields_of(const mirror::Layout& layout, std::string_view type) {
    std::vector<PlacedField> out;
    for (const mirror::LayoutField& field : mirror::layout_fields()) {
        if (field.type != type || *field.name == '\0')
            continue;
        const auto offset = field.required != nullptr ? std::optional(layout.*field.required) : layout.*field.optional;
        if (offset)
            out.push_back({*offset, field_bytes(field.name), field.name});
    }
    return out;
}

std::vector<PlacedArray> patched_arrays(const snapscope_header& header) {
    const auto layout = mirror::table_layout(mirror::first_major);
    std::vector<PlacedArray> out;
    for (const Array& array : layout_of(header).arrays) {
        PlacedArray placed{array.name,
                           array.address,
                           array.stride_bytes,
                           array.entries,
                           known_fields(array.name),
                           array.name == "PGXACT" || array.name == "PGPROC"};
        if (array.name == "PGPROC" && array.stride_bytes == layout.pgproc_bytes)
            placed.fields = fields_of(layout, "PGPROC");
        out.push_back(std::move(placed));
    }
    return out;
}

std::vector<PlacedArray> stock_arrays(const mirror::Anatomy& a) {
    const mirror::Layout& layout = a.layout;
    std::vector<PlacedArray> out;
    out.push_back({"PGPROC", a.all_procs, layout.pgproc_bytes, a.slots, fields_of(layout, "PGPROC"), true});
    out.push_back({"pgprocnos", a.roster(), word_bytes, a.max_roster(), {}, false});
    out.push_back({"ProcArrayLock", a.lock, 16, 1, known_fields("ProcArrayLock"), false});
    if (layout.all_pgxact) {
        out.push_back({"PGXACT", a.pgxact, *layout.pgxact_bytes, a.slots, known_fields("PGXACT"), true});
    } else {
        out.push_back({"xids", a.xids, word_bytes, a.slots, {}, false});
        out.push_back({"subxidStates", a.subxids, 2, a.slots, {}, false});
        out.push_back({"statusFlags", a.flags, 1, a.slots, {}, false});
    }
    return out;
}

} // namespace

Result<ServerPlaces> ServerPlaces::find(const ProcFs& proc, const Postmaster& postmaster, const MemoryFile* memory) {
    ServerPlaces out;
    out.postmaster_ = postmaster.pid;
    out.memory_ = memory;
    if (memory != nullptr) {
        out.incarnation_ = memory->incarnation();
        out.map_ = AddressMap(patched_arrays(memory->header()));
    } else {
        auto mirrored = MirrorSource::examine(proc, postmaster);
        if (!mirrored)
            return fail(mirrored.error());
        out.map_ = AddressMap(stock_arrays(mirrored->anatomy));
        out.mirrored_ = std::move(*mirrored);
    }
    if (out.map_.empty())
        return fail("the server does not say where its arrays lie", "", ErrorClass::unavailable);
    return out;
}

std::uint32_t ServerPlaces::owner(std::uint32_t slot) const {
    if (memory_ != nullptr)
        return slot < memory_->header().slots ? load_counters(memory_->counters(slot)).owner_pid : 0;
    const mirror::Anatomy& a = mirrored_.anatomy;
    if (slot >= a.slots)
        return 0;
    const auto pid = mirror::load<std::int32_t>(
        mirrored_.image->memory(), a.all_procs + std::uint64_t{slot} * a.layout.pgproc_bytes + a.layout.pid);
    const auto here = pid && *pid > 0 ? mirrored_.image->pid_translation()(*pid) : std::nullopt;
    return here ? static_cast<std::uint32_t>(*here) : 0;
}

bool ServerPlaces::still_there() const {
    if (memory_ != nullptr)
        return memory_->incarnation() == incarnation_;
    const auto segment = mirrored_.image->segment();
    return segment && *segment == mirrored_.anatomy.segment;
}

std::optional<std::uint32_t> ServerPlaces::node_of(std::uint64_t address) const {
    const auto nodes = page_nodes(postmaster_, {address});
    return nodes ? nodes->front() : std::nullopt;
}

std::vector<Array> ServerPlaces::arrays() const {
    std::vector<Array> out;
    for (const PlacedArray& array : map_.arrays())
        out.push_back(describe_array(array.name, array.address, array.stride_bytes, array.entries));
    return out;
}

} // namespace snapscope
