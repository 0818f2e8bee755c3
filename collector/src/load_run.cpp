#include "load_run.hpp"

#include <snapscope/lab/pgbench.hpp>

#include <csignal>
#include <filesystem>

namespace snapscope {
namespace {

constexpr auto grace = std::chrono::milliseconds(2000);

Workload read_workload(const std::vector<std::string>& command, const std::string& output, int exit_status) {
    Workload workload;
    if (std::filesystem::path(command.front()).filename() == "pgbench") {
        auto read = parse_pgbench(output, command, exit_status);
        if (read)
            return std::move(*read);
        workload.notes.push_back(read.error().message());
    } else {
        workload.valid = exit_status == 0;
        workload.notes.emplace_back("it is not pgbench: what it did is known from the server alone");
    }
    workload.command = command_line(command);
    workload.exit_status = exit_status;
    return workload;
}

} // namespace

LoadRun::LoadRun(std::vector<std::string> command, Process process)
    : command_(std::move(command)), process_(std::move(process)), start_(std::chrono::steady_clock::now()) {}

Result<LoadRun> LoadRun::start(std::vector<std::string> command) {
    Command how;
    how.argv = command;
    how.environment = {{"LC_ALL", "C"}};
    how.output = Command::Output::apart;
    auto process = Process::start(std::move(how));
    if (!process)
        return fail(process.error());
    return LoadRun(std::move(command), std::move(*process));
}

std::array<pollfd, 3> LoadRun::watched() const {
    return {{{process_.pidfd(), POLLIN, 0}, {process_.output_fd(), POLLIN, 0}, {process_.errors_fd(), POLLIN, 0}}};
}

LoadRun::End LoadRun::finish() {
    const bool cut_short = !ended();
    const int status = process_.stop(SIGTERM, grace);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start_;
    End end{{}, process_.output(), process_.errors(), !cut_short && status != 0};
    end.workload = read_workload(command_, end.output + end.errors, status);
    if (!end.workload.duration_s)
        end.workload.duration_s = took.count();
    if (cut_short) {
        end.workload.valid = false;
        end.workload.notes.emplace_back("ended by the recording before it was done");
    }
    return end;
}

} // namespace snapscope
