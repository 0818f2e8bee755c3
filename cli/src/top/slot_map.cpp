#include "slot_map.hpp"

#include "cells.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>

namespace snapscope::cli {
namespace {

constexpr std::size_t indent = 2;
constexpr std::size_t least_cells = 8;
constexpr std::size_t shade_count = 5;

std::optional<double> activity(const TopSlot& slot) {
    return slot.snapshots_per_s ? slot.snapshots_per_s : slot.cpu_share;
}

const char* shade(double activity, double most, bool unicode) {
    constexpr std::array<const char*, shade_count> blocks{"·", "░", "▒", "▓", "█"};
    constexpr std::array<const char*, shade_count> ascii{".", ":", "+", "#", "@"};
    if (activity <= 0)
        return (unicode ? blocks : ascii).front();
    const double share = activity / most * static_cast<double>(shade_count - 1);
    const auto level = std::clamp<std::size_t>(static_cast<std::size_t>(share + 0.5), 1, shade_count - 1);
    return (unicode ? blocks : ascii).at(level);
}

// "socket 1: 12 slots, 3 active, 3400 snapshots/s"
std::string summary(const std::optional<std::uint32_t>& socket, const std::vector<const TopSlot*>& slots,
                    std::size_t sockets) {
    std::size_t active = 0;
    std::optional<double> rate;
    std::optional<double> cpus;
    for (const TopSlot* slot : slots) {
        active += activity(*slot).value_or(0) > 0 ? 1U : 0U;
        if (slot->snapshots_per_s)
            rate = rate.value_or(0) + *slot->snapshots_per_s;
        if (slot->cpu_share)
            cpus = cpus.value_or(0) + *slot->cpu_share;
    }
    std::string out = socket ? fmt::format("  socket {} of {}", *socket, sockets) : std::string("  not placed");
    out += fmt::format(": {} slots, {} active", slots.size(), active);
    if (rate)
        out += fmt::format(", {} snapshots/s", brief(*rate));
    if (cpus)
        out += fmt::format(", {:.2f} CPUs", *cpus);
    return out;
}

} // namespace

std::vector<Line> slot_map(const std::vector<TopSlot>& slots, std::size_t sockets, std::size_t columns, bool unicode) {
    double most = 0;
    std::map<std::optional<std::uint32_t>, std::vector<const TopSlot*>> groups;
    for (const TopSlot& slot : slots) {
        if (!activity(slot))
            continue;
        groups[slot.socket].push_back(&slot);
        most = std::max(most, *activity(slot));
    }
    if (groups.empty())
        return {};
    std::vector<Line> out{{{"slots, by the socket where they ran last", Tone::strong}}};
    const std::size_t width = std::max(columns > indent ? columns - indent : 0, least_cells);
    for (const auto& [socket, members] : groups) {
        out.push_back({{summary(socket, members, sockets)}});
        for (std::size_t first = 0; first < members.size(); first += width) {
            std::string cells(indent, ' ');
            for (std::size_t i = first; i < std::min(members.size(), first + width); ++i)
                cells += shade(*activity(*members[i]), most, unicode);
            out.push_back({{std::move(cells), Tone::good}});
        }
    }
    return out;
}

} // namespace snapscope::cli
