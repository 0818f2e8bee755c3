#include "target_options.hpp"

namespace snapscope::cli {

void add_target_options(CLI::App& verb, TargetSpec& target) {
    constexpr const char* group = "Which server (none: the only running one)";
    verb.add_option("--pid", target.pid, "Its postmaster")->type_name("PID")->group(group)->check(CLI::PositiveNumber);
    verb.add_option("--pgdata", target.pgdata, "Its data folder")->type_name("DIR")->group(group);
    verb.add_option("--port", target.port, "Its port")->type_name("N")->group(group)->check(CLI::Range(1, 65535));
    verb.add_option("--host", target.host, "With --port: its socket folder")->type_name("DIR")->group(group);
    verb.add_option("--dsn", target.dsn, "Login for SQL, in libpq's form (default: the owner of the data folder)")
        ->type_name("CONNINFO")
        ->group(group);
}

} // namespace snapscope::cli
