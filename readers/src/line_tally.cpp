#include <snapscope/readers/line_tally.hpp>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace snapscope {
namespace {

constexpr std::uint64_t page_bytes = 4096;

using Access = LineTally::Access;

Access access_of(const DataSrc& source) {
    Access out;
    out.load = is_load(source);
    out.store = is_store(source);
    out.missed = out.load && left_first_level(source);
    out.locked = is_locked(source) == Known::yes;
    out.blocked = is_blocked(source);
    out.peer = is_peer(source);
    if (is_hitm(source) != Known::yes)
        return out;
    const Known remote = is_remote(source);
    out.counted = remote == Known::yes  ? Counted::hitm_remote
                  : remote == Known::no ? Counted::hitm_local
                                        : Counted::hitm_unplaced;
    return out;
}

void count(AccessCounts& counts, const Access& access, double weight) {
    counts.loads += access.load ? 1U : 0U;
    counts.stores += access.store ? 1U : 0U;
    counts.load_misses += access.missed ? 1U : 0U;
    counts.locked += access.locked ? 1U : 0U;
    counts.blocked += access.blocked ? 1U : 0U;
    counts.peer += access.peer ? 1U : 0U;
    switch (access.counted) {
    case Counted::hitm_local:
        ++counts.hitm_local;
        counts.local.add(weight);
        break;
    case Counted::hitm_remote:
        ++counts.hitm_remote;
        counts.remote.add(weight);
        break;
    case Counted::hitm_unplaced:
        ++counts.hitm_unplaced;
        counts.unplaced.add(weight);
        break;
    case Counted::outside:
    case Counted::other:
        break;
    }
}

void add_to(AccessCounts& sum, const AccessCounts& more) {
    for (const auto field : {&AccessCounts::loads, &AccessCounts::stores, &AccessCounts::load_misses,
                             &AccessCounts::locked, &AccessCounts::blocked, &AccessCounts::peer,
                             &AccessCounts::hitm_local, &AccessCounts::hitm_remote, &AccessCounts::hitm_unplaced})
        sum.*field += more.*field;
    for (const auto estimate : {&AccessCounts::local, &AccessCounts::remote, &AccessCounts::unplaced})
        (sum.*estimate).add(more.*estimate);
}

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
        if (sample.running->enabled_ns > sample.running->running_ns)
            scale = static_cast<double>(sample.running->enabled_ns) / static_cast<double>(sample.running->running_ns);
        worst_scale_ = std::max(worst_scale_.value_or(1), scale);
    }
    return static_cast<double>(sample.period) * scale;
}

const std::uint32_t* LineTally::owner_of(const Place& place) const {
    if (!map_.arrays()[place.array].by_slot)
        return nullptr;
    const auto owner = owners_.find(static_cast<std::uint32_t>(place.entry));
    return owner == owners_.end() ? nullptr : &owner->second;
}

// The last store that was sampled on the line, else the owner where the line holds one slot alone.
std::optional<std::uint32_t> LineTally::writer_of(const LineState& line, std::uint64_t address,
                                                  const Place& place) const {
    if (line.last_writer)
        return line.last_writer;
    const PlacedArray& array = map_.arrays()[place.array];
    const std::uint64_t begin = address / cache_line_bytes * cache_line_bytes;
    const std::uint64_t entry = array.address + place.entry * array.stride_bytes;
    const auto* owner = owner_of(place);
    if (owner == nullptr || entry > begin || entry + array.stride_bytes < begin + cache_line_bytes)
        return std::nullopt;
    const auto cpu = last_cpu_.find(*owner);
    return cpu == last_cpu_.end() ? std::nullopt : std::optional(cpu->second);
}

void LineTally::add_hitm(const PerfSample& sample, const Place& place, Counted source, double weight, LineState& line) {
    line.hitm_bytes |= std::uint64_t{1} << sample.address % cache_line_bytes;
    if (const auto* owner = owner_of(place); owner != nullptr && *owner == sample.pid)
        ++line.hitm_of_own;
    const bool remote = source == Counted::hitm_remote;
    const bool local = source == Counted::hitm_local;
    const auto add = [&](HitmSamples& samples) {
        samples.hitm_local += local ? 1U : 0U;
        samples.hitm_remote += remote ? 1U : 0U;
    };
    add(by_ip_[sample.ip]);
    if (!sample.cpu)
        return;
    add(by_cpu_[*sample.cpu]);
    const auto writer = writer_of(line, sample.address, place);
    pairs_[std::uint64_t{*sample.cpu} << 32U | (writer ? std::uint64_t{*writer} + 1 : 0)].add(weight);
    if (*sample.cpu < node_of_cpu_.size() && node_of_cpu_[*sample.cpu])
        pages_[sample.address / page_bytes << 16U | (*node_of_cpu_[*sample.cpu] & 0xffffU)].add(weight);
}

// Processors write few different words, again and again.
const Access& LineTally::decoded(std::uint64_t word) {
    Decoded& entry = decoded_[(word ^ word >> 12U ^ word >> 31U) % decoded_.size()];
    if (entry.word != word) {
        entry.word = word;
        entry.access = access_of(decode_data_src(word));
    }
    return entry.access;
}

Counted LineTally::add(const PerfSample& sample) {
    if (sample.cpu)
        last_cpu_[sample.pid] = *sample.cpu;
    const auto place = map_.find(sample.address);
    if (!place || !sample.data_src)
        return Counted::outside;
    const Access& access = decoded(*sample.data_src);
    const double weight = weight_of(sample);
    count(by_address_[sample.address], access, weight);
    if (!access.store && access.counted == Counted::other)
        return Counted::other;
    LineState& line = line_states_[sample.address / cache_line_bytes * cache_line_bytes];
    if (access.counted != Counted::other)
        add_hitm(sample, *place, access.counted, weight, line);
    if (access.store) {
        line.stored_bytes |= std::uint64_t{1} << sample.address % cache_line_bytes;
        if (sample.cpu)
            line.last_writer = *sample.cpu;
    }
    return access.counted;
}

AccessCounts LineTally::all() const {
    AccessCounts out;
    for (const auto& [address, counts] : by_address_)
        add_to(out, counts);
    return out;
}

std::map<std::uint64_t, LineCounts> LineTally::lines() const {
    std::map<std::uint64_t, LineCounts> out;
    for (const auto& [address, counts] : by_address_)
        add_to(out[address / cache_line_bytes * cache_line_bytes], counts);
    for (const auto& [begin, state] : line_states_)
        static_cast<LineState&>(out[begin]) = state;
    return out;
}

std::map<std::uint64_t, AccessCounts> LineTally::fields() const {
    std::map<std::uint64_t, AccessCounts> out;
    for (const auto& [address, counts] : by_address_) {
        const Place place = *map_.find(address);
        add_to(out[address - place.offset + map_.field_begin(place).offset], counts);
    }
    return out;
}

std::map<CpuPair, EventEstimate> LineTally::pairs() const {
    std::map<CpuPair, EventEstimate> out;
    for (const auto& [key, estimate] : pairs_) {
        const auto writer = static_cast<std::uint32_t>(key);
        out[{static_cast<std::uint32_t>(key >> 32U), writer == 0 ? std::nullopt : std::optional(writer - 1)}] =
            estimate;
    }
    return out;
}

std::map<std::pair<std::uint32_t, std::uint64_t>, EventEstimate> LineTally::pages() const {
    std::map<std::pair<std::uint32_t, std::uint64_t>, EventEstimate> out;
    for (const auto& [key, estimate] : pages_)
        out[{static_cast<std::uint32_t>(key & 0xffffU), key >> 16U}] = estimate;
    return out;
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
