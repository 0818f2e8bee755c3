#include <snapscope/readers/line_tally.hpp>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace snapscope {
namespace {

constexpr std::uint64_t page_bytes = 4096;

// The entries of ARRAY that the bytes BITS of the line at BEGIN belong to.
std::vector<std::uint64_t> entries_of(const PlacedArray& array, std::uint64_t begin, std::uint64_t bits) {
    std::vector<std::uint64_t> out;
    for (std::uint64_t byte = 0; byte < cache_line_bytes; ++byte) {
        if ((bits >> byte & 1U) == 0 || begin + byte < array.address)
            continue;
        const std::uint64_t entry = (begin + byte - array.address) / array.stride_bytes;
        if (entry < array.entries && (out.empty() || out.back() != entry))
            out.push_back(entry);
    }
    return out;
}

// Writers that are not the reader's own entry, or several of them.
bool written_apart(const std::vector<std::uint64_t>& read, const std::vector<std::uint64_t>& stored) {
    if (stored.size() > 1)
        return true;
    return stored.size() == 1 && std::ranges::any_of(read, [&](auto entry) { return entry != stored.front(); });
}

} // namespace

double EventEstimate::error() const {
    return std::sqrt(squares);
}

void LineTally::set_owner(std::uint32_t slot, std::uint32_t pid) {
    if (pid == 0)
        owners_.erase(slot);
    else
        owners_[slot] = pid;
}

void LineTally::forget(std::uint32_t pid) {
    last_cpu_.erase(pid);
}

double LineTally::weight_of(const PerfSample& sample) {
    without_period_ += sample.period == 0 ? 1U : 0U;
    double scale = 1;
    if (sample.running && sample.running->running_ns > 0) {
        scale = std::max(1.0, static_cast<double>(sample.running->enabled_ns) /
                                  static_cast<double>(sample.running->running_ns));
        worst_scale_ = std::max(worst_scale_.value_or(1), scale);
    }
    return static_cast<double>(sample.period) * scale;
}

void LineTally::count(AccessCounts& counts, const DataSrc& source, const Hit& hit) const {
    const bool load = is_load(source);
    counts.loads += load ? 1U : 0U;
    counts.stores += is_store(source) ? 1U : 0U;
    counts.load_misses += load && left_first_level(source) ? 1U : 0U;
    counts.locked += is_locked(source) == Known::yes ? 1U : 0U;
    counts.blocked += is_blocked(source) ? 1U : 0U;
    counts.peer += is_peer(source) ? 1U : 0U;
    if (hit.hitm != Known::yes)
        return;
    switch (hit.remote) {
    case Known::yes:
        ++counts.hitm_remote;
        counts.remote.add(hit.weight);
        break;
    case Known::no:
        ++counts.hitm_local;
        counts.local.add(hit.weight);
        break;
    case Known::not_told:
        ++counts.hitm_unplaced;
        counts.unplaced.add(hit.weight);
        break;
    }
}

// The last store that was sampled on the line, else the owner where the line holds one slot alone.
std::optional<std::uint32_t> LineTally::writer_of(const LineCounts& line, std::uint64_t address,
                                                  const Place& place) const {
    if (line.last_writer)
        return line.last_writer;
    const PlacedArray& array = map_.arrays()[place.array];
    if (!array.by_slot)
        return std::nullopt;
    const std::uint64_t begin = address / cache_line_bytes * cache_line_bytes;
    const std::uint64_t entry = array.address + place.entry * array.stride_bytes;
    if (entry > begin || entry + array.stride_bytes < begin + cache_line_bytes)
        return std::nullopt;
    const auto owner = owners_.find(static_cast<std::uint32_t>(place.entry));
    if (owner == owners_.end())
        return std::nullopt;
    const auto cpu = last_cpu_.find(owner->second);
    return cpu == last_cpu_.end() ? std::nullopt : std::optional(cpu->second);
}

bool LineTally::add(const PerfSample& sample) {
    if (sample.cpu)
        last_cpu_[sample.pid] = *sample.cpu;
    const auto place = map_.find(sample.address);
    if (!place || !sample.data_src)
        return false;
    const DataSrc source = decode_data_src(*sample.data_src);
    const Hit hit{is_hitm(source), is_remote(source), weight_of(sample)};
    const bool modified = hit.hitm == Known::yes;
    const std::uint64_t bit = std::uint64_t{1} << sample.address % cache_line_bytes;
    LineCounts& line = lines_[sample.address / cache_line_bytes * cache_line_bytes];
    const Place begin = map_.field_begin(*place);
    count(all_, source, hit);
    count(line, source, hit);
    count(fields_[sample.address - place->offset + begin.offset], source, hit);
    count(by_ip_[sample.ip], source, hit);
    if (sample.cpu)
        count(by_cpu_[*sample.cpu], source, hit);
    if (modified) {
        line.hitm_bytes |= bit;
        const auto owner = owners_.find(static_cast<std::uint32_t>(place->entry));
        if (map_.arrays()[place->array].by_slot && owner != owners_.end() && owner->second == sample.pid)
            ++line.hitm_of_own;
        if (sample.cpu) {
            pairs_[{*sample.cpu, writer_of(line, sample.address, *place)}].add(hit.weight);
            pages_[{*sample.cpu, sample.address / page_bytes}].add(hit.weight);
        }
    }
    if (is_store(source)) {
        line.stored_bytes |= bit;
        if (sample.cpu)
            line.last_writer = *sample.cpu;
    }
    return true;
}

std::vector<SharedEntries> false_sharing(const LineTally& tally) {
    std::vector<SharedEntries> out;
    for (const auto& [begin, line] : tally.lines()) {
        if (line.hitm() == 0)
            continue;
        for (const PlacedArray& array : tally.map().arrays()) {
            if (array.entries < 2 || begin + cache_line_bytes <= array.address ||
                begin >= array.address + array.bytes())
                continue;
            const auto read = entries_of(array, begin, line.hitm_bytes);
            const auto stored = entries_of(array, begin, line.stored_bytes);
            if (!written_apart(read, stored) && line.hitm_of_own == 0)
                continue;
            std::string text = tally.map().line_text(begin) + ":";
            if (!read.empty())
                text += fmt::format(" HITM loads of {}", fmt::join(read, ", "));
            if (!stored.empty())
                text += fmt::format("{} stores of {}", read.empty() ? "" : ",", fmt::join(stored, ", "));
            if (line.hitm_of_own > 0)
                text += fmt::format("; {} by an entry's own backend", line.hitm_of_own);
            out.push_back({begin, line.hitm(), std::move(text)});
        }
    }
    std::ranges::sort(out, [](const SharedEntries& a, const SharedEntries& b) {
        return a.hitm != b.hitm ? a.hitm > b.hitm : a.line < b.line;
    });
    return out;
}

} // namespace snapscope
