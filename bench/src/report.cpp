#include "report.hpp"

#include <snapscope/analyzer/rank_tests.hpp>
#include <snapscope/analyzer/statistics.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
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

} // namespace

Ratio ratio_of(std::string name, const Rounds& numerator, const Rounds& denominator) {
    const auto logs = log_ratios(numerator, denominator);
    const auto test = signed_rank_test(logs, log_resolution);
    if (!test)
        give_up(fmt::format("{}: {} rounds are too few for an interval", name, logs.size()));
    return {std::move(name), std::exp(test->shift), std::exp(test->interval.low), std::exp(test->interval.high),
            logs.size()};
}

void Report::add_row(std::vector<std::pair<std::string, std::string>> labels, const std::string& unit,
                     const Rounds& rounds) {
    nlohmann::ordered_json row;
    for (auto& [name, value] : labels)
        row[name] = std::move(value);
    row["unit"] = unit;
    row["median"] = median(rounds).value();
    row["min"] = *std::min_element(rounds.begin(), rounds.end());
    row["max"] = *std::max_element(rounds.begin(), rounds.end());
    row["rounds"] = rounds.size();
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
            if (value.is_string() && name != "unit")
                labels += fmt::format("{} {}  ", name, value.get<std::string>());
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
    if (argc == 3 && std::string(argv[1]) == "--format" && std::string(argv[2]) == "json")
        json = true;
    else if (!(argc == 1 || (argc == 3 && std::string(argv[1]) == "--format" && std::string(argv[2]) == "text"))) {
        fmt::print(stderr, "usage: {} [--format text|json]\n", suite);
        return 2;
    }
    Report report(suite);
    measure(report);
    if (json)
        fmt::print("{}\n", report.json().dump(2));
    else
        fmt::print("{}", report.text());
    return 0;
}

void give_up(const std::string& why) {
    fmt::print(stderr, "bench: {}\n", why);
    std::exit(1);
}

} // namespace snapscope::bench
