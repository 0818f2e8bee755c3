#include "bpftrace.hpp"

#include "report.hpp"

#include <snapscope/base/text.hpp>

#include <csignal>
#include <fmt/format.h>
#include <sstream>
#include <unistd.h>

namespace snapscope::bench {
namespace {

using namespace std::chrono_literals;

constexpr const char* program = "/usr/bin/bpftrace";

Process start(const TracedSnapshot& traced) {
    Command command;
    command.argv = {program, "-e", Bpftrace::script(traced)};
    auto process = Process::start(command);
    if (!process)
        give_up(process.error().message());
    return std::move(*process);
}

} // namespace

std::string bpftrace_missing() {
    return ::access(program, X_OK) == 0 ? "" : "bpftrace is not installed";
}

// Its BEGIN runs once all other probes are set.
std::string Bpftrace::script(const TracedSnapshot& traced) {
    return fmt::format(R"(uprobe:{0}:{1} /curtask->real_parent->tgid == {2}/ {{ @start[tid] = nsecs; }}
uretprobe:{0}:{1} /@start[tid]/ {{
    $proc = *(uint64*){3:#x};
    @ns[*(uint32*)($proc + {4})] = hist(nsecs - @start[tid]);
    delete(@start[tid]);
}}
interval:ms:100 {{ if (!@ready) {{ @ready = 1; printf("ready\n"); }} }}
END {{ clear(@start); clear(@ready); }})",
                       traced.file, traced.function, traced.parent, traced.my_proc, traced.slot_offset);
}

Bpftrace::Bpftrace(const TracedSnapshot& traced) : process_(start(traced)) {
    for (int tries = 0; process_.output().find("ready") == std::string::npos; ++tries) {
        if (tries > 300 || process_.wait_for(100ms))
            give_up("bpftrace: " + process_.output());
    }
}

std::uint64_t Bpftrace::finish() {
    process_.send_signal(SIGINT);
    for (int tries = 0; !process_.wait_for(100ms); ++tries)
        if (tries > 300)
            give_up("bpftrace does not end");
    return sum_of_histograms(process_.output());
}

// Lines like "[1K, 2K)              7 |@@@@   |".
std::uint64_t sum_of_histograms(const std::string& printed) {
    std::istringstream lines(printed);
    std::uint64_t sum = 0;
    for (std::string line; std::getline(lines, line);) {
        const auto close = line.find_first_of(")]", 1);
        const auto bar = line.find('|');
        if (line.empty() || line[0] != '[' || close == std::string::npos || bar == std::string::npos || bar < close)
            continue;
        sum += parse_integer<std::uint64_t>(trim(line.substr(close + 1, bar - close - 1))).value_or(0);
    }
    return sum;
}

} // namespace snapscope::bench
