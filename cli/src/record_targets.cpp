#include "record_targets.hpp"

#include "option_checks.hpp"

#include <algorithm>
#include <limits>

namespace snapscope::cli {
namespace {

template <class T> Status refuse_twice(const std::vector<T>& named, const std::string& option) {
    for (auto one = named.begin(); one != named.end(); ++one)
        if (std::find(named.begin(), one, *one) != one)
            return fail(fmt::format("{} {} is given twice", option, *one), "name each server once", ErrorClass::usage);
    return {};
}

} // namespace

void add_record_targets(CLI::App& verb, RecordTargets& targets) {
    constexpr const char* group = "Which servers (none: the only running one; each of them may be given again)";
    const auto pid = [&targets](pid_t number) { targets.pids.push_back(number); };
    const auto port = [&targets](std::uint16_t number) { targets.ports.push_back(number); };
    add_number<pid_t>(verb, "--pid", "PID", 1, std::numeric_limits<pid_t>::max(), pid, "Its postmaster")
        ->trigger_on_parse()
        ->group(group);
    verb.add_option("--pgdata", targets.pgdata, "Its data folder")
        ->type_name("DIR")
        ->allow_extra_args(false)
        ->group(group)
        ->check(not_empty);
    add_number<std::uint16_t>(verb, "--port", "N", 1, 65535, port, "Its port")->trigger_on_parse()->group(group);
    verb.add_option("--host", targets.host, "With --port: its socket folder")
        ->type_name("DIR")
        ->group(group)
        ->check(not_empty);
    verb.add_option("--dsn", targets.dsn, "Login for SQL, in libpq's form (default: the owner of the data folder)")
        ->type_name("CONNINFO")
        ->group(group);
}

Result<std::vector<TargetSpec>> target_specs(const RecordTargets& targets) {
    SNAPSCOPE_TRY(refuse_twice(targets.pids, "--pid"));
    SNAPSCOPE_TRY(refuse_twice(targets.pgdata, "--pgdata"));
    SNAPSCOPE_TRY(refuse_twice(targets.ports, "--port"));
    TargetSpec shared;
    shared.host = targets.host;
    shared.dsn = targets.dsn;
    const int ways =
        (targets.pids.empty() ? 0 : 1) + (targets.pgdata.empty() ? 0 : 1) + (targets.ports.empty() ? 0 : 1);
    std::vector<TargetSpec> specs;
    const auto add = [&](auto field, const auto& named) {
        for (const auto& one : named) {
            specs.push_back(shared);
            specs.back().*field = one;
        }
    };
    add(&TargetSpec::pid, targets.pids);
    add(&TargetSpec::pgdata, targets.pgdata);
    add(&TargetSpec::port, targets.ports);
    if (ways > 1) // refused in the words of every verb
        SNAPSCOPE_TRY(check_target(TargetSpec{targets.pids.empty() ? std::nullopt : specs.front().pid,
                                              targets.pgdata.empty() ? std::nullopt : std::optional(targets.pgdata[0]),
                                              targets.ports.empty() ? std::nullopt : std::optional(targets.ports[0]),
                                              targets.host, targets.dsn}));
    if (specs.size() > 1 && targets.dsn && login_names_a_server(*targets.dsn))
        return fail("--dsn names one server, and several are to be recorded",
                    "leave host, hostaddr, port and service out of it", ErrorClass::usage);
    if (specs.empty())
        specs.push_back(shared);
    return specs;
}

std::string name_of(const TargetSpec& spec) {
    if (spec.pid)
        return "pid " + std::to_string(*spec.pid);
    if (spec.port)
        return "port " + std::to_string(*spec.port);
    return spec.pgdata.value_or("the server");
}

std::filesystem::path numbered(const std::filesystem::path& output, std::size_t number) {
    const auto whole = output.has_filename() ? output : output.parent_path();
    return whole.parent_path() / fmt::format("{}-{}{}", whole.stem().string(), number, whole.extension().string());
}

} // namespace snapscope::cli
