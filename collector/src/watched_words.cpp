#include "watched_words.hpp"

#include "mirror/remote_memory.hpp"

#include <array>
#include <fmt/format.h>

namespace snapscope {

const char* name_of(WordKind kind) {
    constexpr std::array<const char*, 3> names{"lock", "xid", "xmin"};
    return names[static_cast<std::size_t>(kind)];
}

std::string to_string(const WatchedWord& word) {
    return word.kind == WordKind::lock ? name_of(word.kind) : fmt::format("slot {} {}", word.slot, name_of(word.kind));
}

WatchedWord WatchRotation::next(const std::vector<std::uint32_t>& slots) {
    const std::size_t steps = 1 + 2 * slots.size();
    const std::size_t step = step_++ % steps;
    if (step == 0)
        return {WordKind::lock, 0};
    return {step % 2 == 1 ? WordKind::xid : WordKind::xmin, slots[(step - 1) / 2]};
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
