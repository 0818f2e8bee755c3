#include <snapscope/base/text.hpp>
#include <snapscope/lab/process.hpp>
#include <snapscope/recording/run_folder.hpp>
#include <snapscope/sweep/sweep_run.hpp>
#include <snapscope/sweep/warm_up.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fmt/format.h>
#include <map>

namespace snapscope {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr int exit_partial = 3; // of `record`: a source was missing, or records were lost
constexpr auto poll = 200ms;
constexpr auto finish_grace = 30s;

std::string last_line(std::string_view output) {
    output = trim(output);
    const auto at = output.rfind('\n');
    return to_utf8(at == std::string_view::npos ? output : output.substr(at + 1));
}

class Runner {
  public:
    Runner(const SweepOptions& options, SweepFile sweep, const std::atomic<bool>& stop,
           const std::function<void(const SweepProgress&)>& tell)
        : options_(options), sweep_(std::move(sweep)), stop_(stop), tell_(tell) {}

    Result<SweepOutcome> run() {
        for (auto& point : sweep_.points) {
            if (point.state != PointState::planned)
                continue;
            if (stop_.load())
                break;
            tell_(progress(point));
            const auto begin = Clock::now();
            const auto tps = measure(point);
            if (stop_.load()) {
                discard(point);
                break;
            }
            settle(point, tps);
            spent_ += Clock::now() - begin;
            ++ran_;
            SNAPSCOPE_TRY(write_sweep_file(options_.folder, sweep_));
            auto now = progress(point);
            if (tps)
                now.tps = *tps;
            tell_(now);
        }
        return SweepOutcome{std::move(sweep_), stop_.load()};
    }

  private:
    Result<std::optional<double>> measure(SweepPoint& point);
    Result<BenchServer*> server_of(const SweepPoint& point);
    Status record(const SweepPoint& point, BenchServer& server);
    Result<std::optional<double>> read_point(SweepPoint& point);

    void settle(SweepPoint& point, const Result<std::optional<double>>& tps) {
        if (tps) {
            point.state = PointState::done;
            point.run = run_name(point);
        } else {
            point.state = PointState::failed;
            point.reason = tps.error().message();
        }
    }

    // What an interruption cut off is no result; it runs again from its start.
    void discard(const SweepPoint& point) const {
        std::error_code error;
        fs::remove_all(options_.folder / run_name(point), error);
    }

    [[nodiscard]] SweepProgress progress(const SweepPoint& point) const {
        SweepProgress now{point, 0, sweep_.points.size(), std::nullopt, std::nullopt};
        now.ended = static_cast<std::size_t>(std::ranges::count_if(
            sweep_.points, [](const SweepPoint& one) { return one.state != PointState::planned; }));
        if (ran_ > 0) {
            const std::chrono::duration<double> each = spent_ / ran_;
            now.remaining_s = each.count() * static_cast<double>(now.all - now.ended);
        }
        return now;
    }

    const SweepOptions& options_;
    SweepFile sweep_;
    const std::atomic<bool>& stop_;
    const std::function<void(const SweepProgress&)>& tell_;
    std::map<std::string, std::unique_ptr<BenchServer>> servers_;
    Clock::duration spent_{};
    int ran_ = 0;
};

Result<BenchServer*> Runner::server_of(const SweepPoint& point) {
    const auto name = variable_of(point, "server");
    auto& server = servers_[name];
    if (!server) {
        auto made = options_.make_server(name);
        if (!made)
            return fail(made.error());
        server = std::move(*made);
    }
    return server.get();
}

Status Runner::record(const SweepPoint& point, BenchServer& server) {
    Command command;
    command.argv = {options_.snapscope.string(), "record", "-o", (options_.folder / run_name(point)).string(),
                    "--force"};
    for (const auto& more : {server.target(), options_.record_options, {"--"}, load_of(options_.load, sweep_.x, point)})
        command.argv.insert(command.argv.end(), more.begin(), more.end());
    command.environment = server.environment();
    command.death_signal = SIGTERM; // it ends its load and leaves nothing in the server
    auto process = Process::start(std::move(command));
    if (!process)
        return fail(process.error());
    std::optional<int> status;
    while (!(status = process->wait_for(poll)))
        if (stop_.load()) {
            (void)process->stop(SIGINT, finish_grace);
            return fail("interrupted");
        }
    if (*status != 0 && *status != exit_partial)
        return fail(last_line(process->output()));
    return {};
}

// The point's tps where its load printed one, without the warm-up where it printed a
// series; of another load, `analyze` takes what the server counted.
Result<std::optional<double>> Runner::read_point(SweepPoint& point) {
    const auto run = read_run(options_.folder / run_name(point));
    if (!run)
        return fail(run.error());
    if (!run->finished)
        return fail("the recording was cut off");
    if (!run->workload || !run->workload->valid)
        return fail(run->workload && !run->workload->notes.empty() ? run->workload->notes.front()
                                                                   : "the load gave no valid figures");
    const auto& workload = *run->workload;
    const auto warm_up = find_warm_up(workload.progress_tps);
    if (warm_up) {
        point.warm_up_s = static_cast<double>(warm_up->values);
        point.steady_tps = warm_up->mean;
        if (!warm_up->settled)
            sweep_.warnings.push_back(
                fmt::format("{}: tps had not settled within the first half of the load", describe(point, sweep_.x)));
        return std::optional(warm_up->mean);
    }
    return workload.tps;
}

Result<std::optional<double>> Runner::measure(SweepPoint& point) {
    const auto server = server_of(point);
    if (!server)
        return fail(server.error());
    SNAPSCOPE_TRY((*server)->restart(point));
    const auto idle = idle_of(options_.load, sweep_.x, point);
    if (!idle)
        return fail(idle.error());
    if (*idle)
        SNAPSCOPE_TRY((*server)->hold_idle(**idle));
    SNAPSCOPE_TRY(record(point, **server));
    return read_point(point);
}

} // namespace

Result<SweepOutcome> run_sweep(const SweepOptions& options, const std::atomic<bool>& stop,
                               const std::function<void(const SweepProgress&)>& tell) {
    auto sweep = open_sweep(options);
    if (!sweep)
        return fail(sweep.error());
    return Runner(options, std::move(*sweep), stop, tell).run();
}

} // namespace snapscope
