#include "pcm_columns.hpp"

#include <snapscope/base/text.hpp>

#include <array>
#include <fmt/format.h>

namespace snapscope {
namespace {

constexpr double million = 1e6;
constexpr double billion = 1e9;

struct Known {
    std::string_view column;
    const char* name;
    const char* unit;
    double scale;
};

// Of the groups System and Socket N.
constexpr std::array system_columns{Known{"TotalUPIin", "upi_in_bytes", "bytes", million},
                                    Known{"TotalQPIin", "upi_in_bytes", "bytes", million},
                                    Known{"TotalUPIout", "upi_out_bytes", "bytes", million},
                                    Known{"TotalQPIout", "upi_out_bytes", "bytes", million},
                                    Known{"UPItoMC", "upi_to_memory_ratio", "ratio", 1},
                                    Known{"QPItoMC", "upi_to_memory_ratio", "ratio", 1},
                                    Known{"L3MISS", "l3_misses", "1", million},
                                    Known{"L2MISS", "l2_misses", "1", million},
                                    Known{"READ", "memory_read_bytes", "bytes", billion},
                                    Known{"WRITE", "memory_write_bytes", "bytes", billion},
                                    Known{"INST", "instructions", "1", million},
                                    Known{"ACYC", "active_cycles", "1", million}};

// The number behind `prefix`, up to `suffix`, which ends the text.
std::optional<unsigned> number_between(std::string_view text, std::string_view prefix, std::string_view suffix) {
    if (!text.starts_with(prefix) || !text.ends_with(suffix) || text.size() <= prefix.size() + suffix.size())
        return std::nullopt;
    return parse_integer<unsigned>(text.substr(prefix.size(), text.size() - prefix.size() - suffix.size()));
}

// "UPI2" or "QPI2" -> 2
std::optional<unsigned> link_of(std::string_view name) {
    const auto upi = number_between(name, "UPI", "");
    return upi ? upi : number_between(name, "QPI", "");
}

std::optional<PcmMeaning> link_meaning(std::string_view group, std::string_view name) {
    const auto link = link_of(name);
    if (!link)
        return std::nullopt;
    for (const auto& [suffix, direction] : {std::pair{"dataIn", "in"}, {"trafficOut", "out"}})
        if (const auto socket = number_between(group, "SKT", suffix))
            return PcmMeaning{fmt::format("upi_{}_bytes_socket{}_link{}", direction, *socket, *link), "bytes", million};
    return std::nullopt;
}

// Groups whose name says the quantity and whose columns are SKT0, SKT1, ...
std::optional<PcmMeaning> per_socket_meaning(std::string_view group, std::string_view name) {
    const auto socket = number_between(name, "SKT", "");
    if (!socket)
        return std::nullopt;
    if (group == "Proc Energy (Joules)")
        return PcmMeaning{fmt::format("processor_joules_socket{}", *socket), "joules", 1};
    if (group == "DRAM Energy (Joules)")
        return PcmMeaning{fmt::format("memory_joules_socket{}", *socket), "joules", 1};
    if (group == "LLCRDMISSLAT (ns)")
        return PcmMeaning{fmt::format("llc_read_miss_ns_socket{}", *socket), "ns", 1};
    return std::nullopt;
}

} // namespace

std::optional<PcmMeaning> pcm_meaning(std::string_view group, std::string_view name) {
    if (auto link = link_meaning(group, name))
        return link;
    if (auto socket = per_socket_meaning(group, name))
        return socket;
    const auto socket = number_between(group, "Socket ", "");
    if (group != "System" && !socket)
        return std::nullopt;
    for (const Known& known : system_columns)
        if (known.column == name)
            return PcmMeaning{socket ? fmt::format("{}_socket{}", known.name, *socket) : known.name, known.unit,
                              known.scale};
    return std::nullopt;
}

bool is_link_percent(std::string_view group) {
    return group.starts_with("SKT") && group.ends_with("(percent)");
}

} // namespace snapscope
