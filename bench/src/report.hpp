// What every benchmark prints: a table of medians, and ratios of interleaved
// rounds with their intervals, as text or as the JSON of docs/benchmarks.md.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace snapscope::bench {

// One value a round; round i of every case was measured in the same pass.
using Rounds = std::vector<double>;
using Labels = std::vector<std::pair<std::string, std::string>>;

struct Ratio {
    std::string name;
    double value = 0, low = 0, high = 0; // Hodges-Lehmann on log ratios, at least 95 %
    std::size_t pairs = 0;
};

// numerator / denominator, round by round.
[[nodiscard]] Ratio ratio_of(std::string name, const Rounds& numerator, const Rounds& denominator);

// How much is measured: all of it; less, in a few minutes; or just so much that
// every piece runs, which gives no figures to quote.
enum class Effort { full, quick, trial };

class Report {
  public:
    Report(std::string suite, Effort effort) : suite_(std::move(suite)), effort_(effort) {}

    [[nodiscard]] Effort effort() const { return effort_; }
    // The one of three that goes with the effort.
    template <typename T> [[nodiscard]] T pick(T full, T quick, T trial) const {
        return effort_ == Effort::full ? full : effort_ == Effort::quick ? quick : trial;
    }

    // A row: what it is (label columns), and its rounds in `unit`.
    void add_row(Labels labels, const std::string& unit, const Rounds& rounds);
    // A row without a value, and why there is none.
    void add_absent(Labels labels, const std::string& unit, const std::string& why);
    void add_ratio(Ratio ratio) { ratios_.push_back(std::move(ratio)); }
    // The same thing measured twice a round: what a ratio of 1 looks like here.
    void set_noise_floor(const Rounds& once, const Rounds& again);
    void note(std::string text) { notes_.push_back(std::move(text)); }

    [[nodiscard]] std::string text() const;
    [[nodiscard]] nlohmann::ordered_json json() const;

  private:
    std::string suite_;
    Effort effort_;
    std::chrono::system_clock::time_point started_ = std::chrono::system_clock::now();
    std::vector<nlohmann::ordered_json> rows_;
    std::vector<Ratio> ratios_;
    std::vector<std::string> notes_;
    double noise_floor_percent_ = 0;
    bool has_noise_floor_ = false;
};

// Parses [--quick|--trial] [--format text|json], runs MEASURE, prints; the exit code.
int run_suite(int argc, char** argv, const std::string& suite, void (*measure)(Report&));

// What is being measured, for whoever waits: a line on stderr with the minutes passed.
void progress(const std::string& what);

// Stops the benchmark with one line.
[[noreturn]] void give_up(const std::string& why);

} // namespace snapscope::bench
