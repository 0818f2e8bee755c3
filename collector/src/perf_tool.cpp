#include "perf_tool.hpp"

#include "tool_child.hpp"

#include <snapscope/base/text.hpp>

#include <algorithm>

namespace snapscope {
namespace {

constexpr std::string_view available = ": available";
constexpr const char* bare_metal = "HITM needs bare metal or a virtual PMU; linetimer and watch need neither";

} // namespace

std::vector<std::string> parse_memory_events(std::string_view list) {
    std::vector<std::string> out;
    while (!list.empty()) {
        auto line = trim(list.substr(0, list.find('\n')));
        list.remove_prefix(std::min(list.size(), list.find('\n')) == list.size() ? list.size() : list.find('\n') + 1);
        if (!line.ends_with(available))
            continue;
        line = trim(line.substr(0, line.size() - available.size()));
        const auto blank = line.find(' ');
        if (blank == std::string_view::npos)
            continue; // a name alone: perf was not asked for the event
        const auto event = trim(line.substr(blank));
        if (event.find('/') != std::string_view::npos && event.find(' ') == std::string_view::npos)
            out.emplace_back(event);
    }
    return out;
}

std::string with_running_time(const std::string& event) {
    if (event.starts_with("arm_spe"))
        return event;
    return event + (event.ends_with('}') ? ":S" : "S");
}

std::vector<std::string> perf_arguments(const std::string& perf, std::vector<std::string> events, int frequency,
                                        bool running_time) {
    // Small buffers, so that what was sampled comes soon; no lists of build ids, no programs of BPF.
    std::vector<std::string> argv{perf,
                                  "record",
                                  "--all-cpus",
                                  "--data",
                                  "--weight",
                                  "--timestamp",
                                  "--period",
                                  "-k",
                                  "mono",
                                  "-m",
                                  "64",
                                  "--no-buildid",
                                  "--no-buildid-cache",
                                  "--no-bpf-event",
                                  "--no-inherit",
                                  "-F",
                                  std::to_string(frequency)};
    if (running_time)
        argv.emplace_back("--running-time");
    for (auto& event : events) {
        argv.emplace_back("-e");
        argv.push_back(running_time ? with_running_time(event) : std::move(event));
    }
    argv.insert(argv.end(), {"-o", "-"});
    return argv;
}

Result<std::vector<std::string>> memory_events(const std::string& perf) {
    const auto answer = ask_tool({perf, "mem", "record", "-v", "-e", "list"});
    if (!answer)
        return fail(answer.error());
    auto events = parse_memory_events(answer->errors + "\n" + answer->output);
    if (!events.empty())
        return events;
    const auto words = own_words(answer->errors + "\n" + answer->output);
    return fail("perf mem record: " + (words.empty() ? "no memory event is available" : words), bare_metal,
                ErrorClass::unavailable);
}

} // namespace snapscope
