#include "recorder.hpp"

#include <snapscope/recording/run_folder.hpp>

#include <chrono>
#include <csignal>
#include <stdexcept>

namespace snapscope::test {
namespace {

using namespace std::chrono_literals;

Process started(std::vector<std::string> words) {
    Command command;
    command.argv = {SNAPSCOPE_PROGRAM, "record"};
    command.argv.insert(command.argv.end(), words.begin(), words.end());
    auto process = Process::start(std::move(command));
    if (!process)
        throw std::runtime_error(process.error().message());
    return std::move(*process);
}

} // namespace

Recorder::Recorder(std::vector<std::string> words) : process_(started(std::move(words))) {}

std::optional<double> Recorder::so_far(const std::filesystem::path& folder, const std::string& source,
                                       const std::string& series) {
    const auto run = read_run(folder);
    if (!run || run->windows.start_ns.empty())
        return std::nullopt;
    return sum_of_windows(*run, source, series);
}

std::size_t Recorder::gaps_so_far(const std::filesystem::path& folder) {
    const auto run = read_run(folder);
    return run ? run->gaps.size() : 0;
}

int Recorder::finish() {
    return process_.wait_for(60s).value_or(-1);
}

int Recorder::end_by_interrupt() {
    signal(SIGINT);
    return finish();
}

std::optional<std::int64_t> total_of(const Run& run, const std::string& source, const std::string& name) {
    for (const auto& total : run.totals)
        if (total.source == source && total.name == name)
            return total.value;
    return std::nullopt;
}

double sum_of_windows(const Run& run, const std::string& source, const std::string& series) {
    double sum = 0;
    for (const auto& column : run.windows.series)
        if (column.source == source && column.name == series)
            for (const auto& value : column.values)
                sum += value.value_or(0);
    return sum;
}

} // namespace snapscope::test
