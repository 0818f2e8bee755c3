#include <snapscope/lab/pgbench.hpp>

#include <fmt/format.h>

namespace snapscope {

Result<Workload> run_pgbench(Command command, std::chrono::milliseconds limit) {
    const auto argv = command.argv;
    command.output = Command::Output::captured;
    command.environment.emplace_back("LC_ALL", "C");
    const auto finished = run_to_end(std::move(command), limit);
    if (!finished)
        return fail(finished.error());
    auto workload = parse_pgbench(finished->output, argv, finished->status);
    if (workload && finished->timed_out) {
        workload->valid = false;
        workload->notes.insert(workload->notes.begin(), fmt::format("pgbench was stopped after {:.1f} s",
                                                                    std::chrono::duration<double>(limit).count()));
    }
    return workload;
}

} // namespace snapscope
