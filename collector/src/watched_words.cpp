#include "watched_words.hpp"

#include "mirror/remote_memory.hpp"

#include <snapscope/base/text.hpp>

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace snapscope {
namespace {

constexpr std::size_t most_slots_seen = 256;

std::optional<WatchedWord> parse_word(const std::string& text) {
    if (text == "lock")
        return WatchedWord{};
    const auto parts = split(text, ':');
    if (parts.size() != 3 || parts[0] != "slot")
        return std::nullopt;
    const auto slot = parse_integer<std::uint32_t>(parts[1]);
    for (const auto kind : {WordKind::xid, WordKind::xmin})
        if (slot && parts[2] == name_of(kind))
            return WatchedWord{kind, *slot};
    return std::nullopt;
}

} // namespace

const char* name_of(WordKind kind) {
    constexpr std::array<const char*, 3> names{"lock", "xid", "xmin"};
    return names[static_cast<std::size_t>(kind)];
}

std::string to_string(const WatchedWord& word) {
    return word.kind == WordKind::lock ? name_of(word.kind) : fmt::format("slot {} {}", word.slot, name_of(word.kind));
}

Result<std::vector<WatchedWord>> parse_watched_words(const std::string& list) {
    std::vector<WatchedWord> words;
    for (const auto& text : split(list, ',')) {
        const auto word = parse_word(text);
        if (!word)
            return fail(fmt::format("--watch: '{}' is no word that can be watched", text),
                        "lock, slot:N:xid and slot:N:xmin are, e.g. --watch lock,slot:12:xid", ErrorClass::usage);
        if (std::ranges::find(words, *word) != words.end())
            return fail(fmt::format("--watch: {} is named twice", text), "name each word once", ErrorClass::usage);
        words.push_back(*word);
    }
    return words;
}

WatchedWord WatchRotation::next(const std::vector<std::uint32_t>& slots) {
    const std::size_t steps = 1 + 2 * slots.size();
    const std::size_t step = step_++ % steps;
    if (step == 0)
        return {WordKind::lock, 0};
    return {step % 2 == 1 ? WordKind::xid : WordKind::xmin, slots[(step - 1) / 2]};
}

std::vector<std::uint32_t> taken_slots(const ServerWords& words, const ProcFs& proc, pid_t postmaster,
                                       const MemoryFile* memory) {
    std::vector<std::uint32_t> slots;
    if (memory != nullptr) {
        for (std::uint32_t slot = 0; slot < words.slots && slots.size() < most_slots_seen; ++slot)
            if (__atomic_load_n(&memory->counters(slot)->owner_pid, __ATOMIC_RELAXED) != 0)
                slots.push_back(slot);
        return slots;
    }
    for (const pid_t child : proc.children_of(postmaster)) {
        if (slots.size() >= most_slots_seen)
            break;
        if (const auto slot = slot_of(words, child))
            slots.push_back(*slot);
    }
    std::ranges::sort(slots);
    return slots;
}

std::optional<std::uint64_t> address_of(const ServerWords& words, pid_t postmaster, const WatchedWord& word) {
    if (word.kind == WordKind::lock)
        return words.lock_state;
    if (word.slot >= words.slots)
        return std::nullopt;
    if (word.kind == WordKind::xmin)
        return words.xmin.at(word.slot);
    if (!words.array_offset)
        return words.xid.at(word.slot);
    const auto entry = mirror::load<std::uint32_t>(mirror::RemoteMemory(postmaster), words.array_offset->at(word.slot));
    return entry && *entry < words.xid.count ? std::optional(words.xid.at(*entry)) : std::nullopt;
}

Result<ServerWords> find_words(const ProcFs& proc, pid_t postmaster, const MemoryFile* memory) {
    if (memory != nullptr)
        return patched_words(memory->header());
    auto found = stock_words(proc, postmaster);
    if (!found)
        return fail(found.error());
    return found->words;
}

} // namespace snapscope
