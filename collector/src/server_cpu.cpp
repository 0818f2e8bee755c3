#include "server_cpu.hpp"

#include <snapscope/base/text.hpp>

#include <sstream>
#include <unistd.h>

namespace snapscope {

std::optional<std::uint64_t> ended_children_ticks(std::string_view stat) {
    const auto close = stat.rfind(')');
    if (close == std::string_view::npos)
        return std::nullopt;
    std::istringstream rest{std::string(stat.substr(close + 1))};
    std::vector<std::string> fields;
    for (std::string field; rest >> field;)
        fields.push_back(field);
    // Numbering of proc(5) starts at 3 here: cutime is 16, cstime 17.
    constexpr std::size_t cutime = 16 - 3;
    if (fields.size() <= cutime + 1)
        return std::nullopt;
    const auto user = parse_integer<std::int64_t>(fields[cutime]);
    const auto system = parse_integer<std::int64_t>(fields[cutime + 1]);
    if (!user || !system || *user < 0 || *system < 0)
        return std::nullopt;
    return static_cast<std::uint64_t>(*user + *system);
}

std::optional<std::int64_t> ServerCpu::read() const {
    const auto text = read_text(proc_.path(postmaster_, "stat"));
    const auto ended = text ? ended_children_ticks(*text) : std::nullopt;
    const auto own = text ? parse_process_stat(*text) : fail("");
    if (!ended || !own)
        return std::nullopt;
    std::uint64_t ticks = *ended + own->user_ticks + own->system_ticks;
    for (const pid_t child : proc_.listed_children(postmaster_)) {
        if (const auto stat = proc_.stat(child))
            ticks += stat->user_ticks + stat->system_ticks;
    }
    static const auto ticks_per_s = static_cast<double>(::sysconf(_SC_CLK_TCK));
    return static_cast<std::int64_t>(static_cast<double>(ticks) / ticks_per_s * 1e9);
}

std::optional<std::int64_t> ServerCpu::advance() {
    const auto now = read();
    const auto before = last_;
    last_ = now;
    // A child that ended between the two looks is missing for a moment.
    if (!now || !before || *now < *before)
        return std::nullopt;
    return *now - *before;
}

} // namespace snapscope
