#include <snapscope/base/text.hpp>
#include <snapscope/sweep/sweep_run.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <thread>

namespace snapscope {
namespace {

// Connections that stay free: superuser_reserved_connections' default, and the recording's own.
constexpr std::size_t kept_free = 3 + 5;

bool is_pgbench(const std::vector<std::string>& load) {
    return !load.empty() && std::filesystem::path(load.front()).filename() == "pgbench";
}

// The last value of pgbench's option -C or --LONG, in any of its spellings.
std::optional<std::string> option_of(const std::vector<std::string>& load, char letter, const std::string& word) {
    const std::string one = {'-', letter};
    const std::string two = "--" + word;
    std::optional<std::string> value;
    for (std::size_t i = 1; i < load.size(); ++i) {
        const auto& text = load[i];
        if (text == one || text == two)
            value = i + 1 < load.size() ? load[++i] : std::string();
        else if (text.starts_with(two + "="))
            value = text.substr(two.size() + 1);
        else if (text.starts_with(one) && text.size() > 2)
            value = text.substr(2);
    }
    return value;
}

std::string clients_of(const std::vector<std::string>& load, const std::string& x, const SweepPoint& point) {
    if (x == "clients")
        return fmt::format("{}", point.x);
    const auto varied = variable_of(point, "clients");
    return varied.empty() && is_pgbench(load) ? option_of(load, 'c', "client").value_or("1") : varied;
}

} // namespace

std::vector<std::string> load_of(const std::vector<std::string>& load, const std::string& x, const SweepPoint& point) {
    if (!is_pgbench(load))
        return load;
    // Options first: pgbench takes what follows the database's name for its user.
    std::vector<std::string> ours;
    const auto clients = x == "clients" ? fmt::format("{}", point.x) : variable_of(point, "clients");
    if (!option_of(load, 'P', "progress"))
        ours.insert(ours.end(), {"-P", "1"});
    if (!clients.empty() && !option_of(load, 'j', "jobs")) {
        const unsigned long cpus = std::max(1U, std::thread::hardware_concurrency());
        ours.insert(ours.end(),
                    {"-j", std::to_string(std::min(cpus, parse_integer<unsigned long>(clients).value_or(1)))});
    }
    std::vector<std::string> whole = {load.front()};
    whole.insert(whole.end(), ours.begin(), ours.end());
    whole.insert(whole.end(), load.begin() + 1, load.end());
    if (!clients.empty()) { // pgbench obeys the last -c, and takes options behind names, too
        whole.insert(whole.end(), {"-c", clients});
    }
    return whole;
}

Result<std::optional<std::size_t>> idle_of(const std::vector<std::string>& load, const std::string& x,
                                           const SweepPoint& point) {
    const auto text = variable_of(point, "idle");
    if (text.empty())
        return std::optional<std::size_t>();
    if (const auto number = parse_integer<std::size_t>(text))
        return std::optional(*number);
    if (text != "fill")
        return fail(fmt::format("--idle {}: neither a number nor fill", text), "", ErrorClass::usage);
    const auto clients = parse_integer<std::size_t>(clients_of(load, x, point));
    if (x != "max_connections" || !clients)
        return fail("--idle fill needs max_connections to be swept, and the load's clients to be known",
                    "sweep --max-connections, and give --clients where the load is not pgbench", ErrorClass::usage);
    const auto all = static_cast<std::size_t>(point.x);
    if (all < *clients + kept_free)
        return fail(fmt::format("{} connections leave none to be idle beside {} clients", all, *clients));
    return std::optional(all - *clients - kept_free);
}

} // namespace snapscope
