// A sweep folder, or a file, from disk.
#include "sweep_placement.hpp"

#include <snapscope/analyzer/metrics.hpp>
#include <snapscope/analyzer/sweep.hpp>
#include <snapscope/base/files.hpp>
#include <snapscope/recording/run_folder.hpp>

#include <algorithm>
#include <fmt/format.h>

namespace snapscope {
namespace {

constexpr std::size_t max_table_bytes = std::size_t{256} << 20U;

SweepRun run_of(const SweepPoint& point, const std::string& label) {
    SweepRun out;
    out.label = label;
    out.x = point.x;
    if (!point.mode.empty())
        out.keys.emplace_back("mode", point.mode);
    for (const Setting& variable : point.variables)
        out.keys.emplace_back(variable.name, variable.value);
    out.repeat = point.repeat;
    out.order = point.order;
    return out;
}

// Told once for all runs.
class Losses {
  public:
    void add(const std::string& label, std::uint64_t lost) {
        runs_ += lost > 0 ? 1U : 0U;
        if (lost > most_) {
            most_ = lost;
            worst_ = label;
        }
    }
    void warn(Sweep& sweep) const {
        if (runs_ > 0)
            sweep.warnings.push_back(
                fmt::format("{} of {} runs lost records, {} the most ({})", runs_, sweep.runs.size(), worst_, most_));
    }

  private:
    std::size_t runs_ = 0;
    std::uint64_t most_ = 0;
    std::string worst_;
};

void take_run(const Run& run, SweepRun& out, Sweep& sweep, Losses& losses) {
    if (run.workload && !run.workload->valid) {
        out.failure = "its workload is not valid";
        if (!run.workload->notes.empty())
            out.failure += ": " + run.workload->notes.front();
        return;
    }
    if (!run.finished) {
        sweep.partial = true;
        sweep.warnings.push_back(out.label + " is unfinished");
    }
    const auto put = [&](const std::string& name, double value, const std::string& from) {
        out.metrics[name] = value;
        const SourceStatus* source = find_source(run, from);
        sweep.kinds[name] = source != nullptr ? to_string(source->kind) : "counted";
    };
    const Measurement measured = measure(run, out.label);
    for (const auto& [name, value] : measured.values) {
        if (name == "tps")
            out.tps = value.value;
        else
            put(name, value.value, value.source);
    }
    for (const PlacementMetric& metric : placement_metrics(run))
        put(metric.name, metric.value, metric.source);
    losses.add(out.label, measured.lost);
    if (!out.tps)
        out.failure = "the run holds no tps";
    else if (!(*out.tps > 0)) {
        out.tps.reset();
        out.failure = "tps is 0: no transaction";
    }
}

// A key that has one value over the whole sweep tells nothing apart.
void drop_constant_keys(Sweep& sweep) {
    std::map<std::string, std::map<std::string, bool>> values;
    for (const SweepRun& run : sweep.runs)
        for (const auto& [name, value] : run.keys)
            values[name][value] = true;
    for (SweepRun& run : sweep.runs)
        std::erase_if(run.keys, [&](const auto& key) { return key.first != "mode" && values[key.first].size() == 1; });
}

Result<Sweep> load_folder(const std::filesystem::path& folder) {
    const auto file = read_sweep_file(folder);
    if (!file)
        return fail(file.error());
    Sweep out;
    out.x = file->x;
    out.warnings = file->warnings;
    std::size_t planned = 0;
    Losses losses;
    for (const SweepPoint& point : file->points) {
        if (point.state == PointState::planned) {
            ++planned;
            continue;
        }
        SweepRun run = run_of(point, point.run.value_or(fmt::format("point {}", point.order)));
        if (point.state == PointState::failed) {
            run.failure = point.reason;
        } else if (const auto read = read_run(folder / *point.run)) {
            take_run(*read, run, out, losses);
            if (run.tps && point.steady_tps && *point.steady_tps > 0)
                run.tps = point.steady_tps; // without the warm-up
        } else {
            run.failure = read.error().what;
            out.partial = true;
        }
        out.runs.push_back(std::move(run));
    }
    if (planned > 0) {
        out.partial = true;
        out.warnings.push_back(
            fmt::format("{} of {} points of the plan were not reached", planned, file->points.size()));
    }
    if (out.runs.empty())
        return fail(folder.string() + " holds no point that was reached", "run 'snapscope sweep --resume'");
    losses.warn(out);
    drop_constant_keys(out);
    return out;
}

} // namespace

std::string group_name(const std::vector<std::pair<std::string, std::string>>& keys) {
    std::string out;
    for (const auto& [name, value] : keys)
        out += (out.empty() ? "" : ", ") + name + " " + value;
    return out;
}

std::string key_of(const SweepRun& run, std::string_view name) {
    const auto at = std::find_if(run.keys.begin(), run.keys.end(), [&](const auto& key) { return key.first == name; });
    return at == run.keys.end() ? "" : at->second;
}

Result<Sweep> load_sweep(const std::filesystem::path& path) {
    std::error_code error;
    if (std::filesystem::is_directory(path, error))
        return load_folder(path);
    const auto text = read_file(path, max_table_bytes);
    if (!text)
        return fail(text.error().what, "give a sweep folder (NAME.sweep) or a CSV file");
    return sweep_from_csv(*text, path.string());
}

} // namespace snapscope
