#include "report.hpp"

#include <snapscope/analyzer/rank_tests.hpp>
#include <snapscope/analyzer/statistics.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fstream>
#include <thread>

namespace snapscope::bench {

namespace {

std::vector<double> log_ratios(const Rounds& numerator, const Rounds& denominator) {
    std::vector<double> logs;
    for (std::size_t i = 0; i < std::min(numerator.size(), denominator.size()); ++i)
        logs.push_back(std::log(numerator[i] / denominator[i]));
    return logs;
}

std::string cpu_model() {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);)
        if (line.starts_with("model name"))
            return line.substr(std::min(line.size(), line.find(':') + 2));
    return "unknown";
}

nlohmann::ordered_json row_for(Labels labels, const std::string& unit) {
    nlohmann::ordered_json row;
    for (auto& [name, value] : labels)
        row[name] = std::move(value);
    row["unit"] = unit;
    return row;
}

const char* name_of(Effort effort) {
    switch (effort) {
    case Effort::full:
        return "full";
    case Effort::quick:
        return "quick";
    case Effort::trial:
        break;
    }
    return "trial";
}

} // namespace

Ratio ratio_of(std::string name, const Rounds& numerator, const Rounds& denominator) {
    const auto logs = log_ratios(numerator, denominator);
    const auto test = signed_rank_test(logs, log_resolution);
    if (!test)
        give_up(fmt::format("{}: {} rounds are too few for an interval", name, logs.size()));
    return {std::move(name), std::exp(test->shift), std::exp(test->interval.low), std::exp(test->interval.high),
            logs.size()};
}

void Report::add_row(Labels labels, const std::string& unit, const Rounds& rounds) {
    auto row = row_for(std::move(labels), unit);
    row["median"] = median(rounds).value();
    row["min"] = *std::min_element(rounds.begin(), rounds.end());
    row["q1"] = quantile(rounds, 0.25).value();
    row["q3"] = quantile(rounds, 0.75).value();
    row["max"] = *std::max_element(rounds.begin(), rounds.end());
    row["rounds"] = rounds.size();
    rows_.push_back(std::move(row));
}

void Report::add_absent(Labels labels, const std::string& unit, const std::string& why) {
    auto row = row_for(std::move(labels), unit);
    row["median"] = nullptr;
    row["absent"] = why;
    row["rounds"] = 0;
    rows_.push_back(std::move(row));
}

void Report::set_noise_floor(const Rounds& once, const Rounds& again) {
    auto logs = log_ratios(once, again);
    for (auto& value : logs)
        value = std::abs(value);
    noise_floor_percent_ = 100 * (std::exp(median(logs).value()) - 1);
    has_noise_floor_ = true;
}

nlohmann::ordered_json Report::json() const {
    nlohmann::ordered_json out;
    out["suite"] = suite_;
    out["effort"] = name_of(effort_);
    const char* commit = std::getenv("SNAPSCOPE_COMMIT");
    out["commit"] = commit != nullptr && *commit != '\0' ? nlohmann::ordered_json(commit) : nullptr;
    out["date"] = fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::chrono::system_clock::to_time_t(started_)));
    out["seconds"] =
        std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now() - started_).count();
    out["machine"] = {{"cpu", cpu_model()}, {"cpus", std::thread::hardware_concurrency()}};
    out["noise_floor_percent"] = has_noise_floor_ ? nlohmann::ordered_json(noise_floor_percent_) : nullptr;
    out["rows"] = rows_;
    out["ratios"] = nlohmann::ordered_json::array();
    for (const auto& ratio : ratios_)
        out["ratios"].push_back({{"name", ratio.name},
                                 {"value", ratio.value},
                                 {"low", ratio.low},
                                 {"high", ratio.high},
                                 {"pairs", ratio.pairs}});
    out["notes"] = notes_;
    return out;
}

std::string Report::text() const {
    std::string out;
    for (const auto& row : rows_) {
        std::string labels;
        for (const auto& [name, value] : row.items())
            if (value.is_string() && name != "unit" && name != "absent")
                labels += fmt::format("{} {}  ", name, value.get<std::string>());
        if (row.contains("absent")) {
            out += fmt::format("{:<52}{:>12} {} ({})\n", labels, "absent", row["unit"].get<std::string>(),
                               row["absent"].get<std::string>());
            continue;
        }
        out += fmt::format("{:<52}{:>12.1f} {} [{:.1f} .. {:.1f}]\n", labels, row["median"].get<double>(),
                           row["unit"].get<std::string>(), row["min"].get<double>(), row["max"].get<double>());
    }
    out += '\n';
    for (const auto& ratio : ratios_)
        out += fmt::format("{:<52}{:>12.4f} [{:.4f} .. {:.4f}] {} pairs\n", ratio.name, ratio.value, ratio.low,
                           ratio.high, ratio.pairs);
    if (has_noise_floor_)
        out += fmt::format("noise floor (the same twice): {:.1f} %\n", noise_floor_percent_);
    for (const auto& note : notes_)
        out += note + '\n';
    return out;
}

int run_suite(int argc, char** argv, const std::string& suite, void (*measure)(Report&)) {
    bool json = false;
    auto effort = Effort::full;
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const bool has_value = i + 1 < arguments.size();
        if (arguments[i] == "--quick")
            effort = Effort::quick;
        else if (arguments[i] == "--trial")
            effort = Effort::trial;
        else if (arguments[i] == "--format" && has_value && (arguments[i + 1] == "json" || arguments[i + 1] == "text"))
            json = arguments[++i] == "json";
        else {
            fmt::print(stderr, "usage: {} [--quick|--trial] [--format text|json]\n", suite);
            return 2;
        }
    }
    Report report(suite, effort);
    measure(report);
    if (json)
        fmt::print("{}\n", report.json().dump(2));
    else
        fmt::print("{}", report.text());
    return 0;
}

void progress(const std::string& what) {
    static const auto start = std::chrono::steady_clock::now();
    const std::chrono::duration<double, std::ratio<60>> passed = std::chrono::steady_clock::now() - start;
    fmt::print(stderr, "{:5.1f} min  {}\n", passed.count(), what);
}

void give_up(const std::string& why) {
    fmt::print(stderr, "bench: {}\n", why);
    std::exit(1);
}

} // namespace snapscope::bench
