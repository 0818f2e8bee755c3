#include "target_options.hpp"

#include "option_checks.hpp"

#include <limits>

namespace snapscope::cli {

void add_target_options(CLI::App& verb, TargetSpec& target) {
    constexpr const char* group = "Which server (none: the only running one)";
    const auto pid = [&target](pid_t number) { target.pid = number; };
    const auto port = [&target](std::uint16_t number) { target.port = number; };
    add_number<pid_t>(verb, "--pid", "PID", 1, std::numeric_limits<pid_t>::max(), pid, "Its postmaster")->group(group);
    verb.add_option("--pgdata", target.pgdata, "Its data folder")->type_name("DIR")->group(group)->check(not_empty);
    add_number<std::uint16_t>(verb, "--port", "N", 1, 65535, port, "Its port")->group(group);
    verb.add_option("--host", target.host, "With --port: its socket folder")
        ->type_name("DIR")
        ->group(group)
        ->check(not_empty);
    verb.add_option("--dsn", target.dsn, "Login for SQL, in libpq's form (default: the owner of the data folder)")
        ->type_name("CONNINFO")
        ->group(group);
}

} // namespace snapscope::cli
