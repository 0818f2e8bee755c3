#include "pcm_source.hpp"

#include "pcm_spread.hpp"
#include "tool_child.hpp"

#include <snapscope/readers/pcm_live.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <ctime>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mutex>
#include <numeric>
#include <thread>

namespace snapscope {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr const char* package = "pcm";
constexpr milliseconds least_interval{1000};
constexpr milliseconds start_time{30'000}; // it looks at every core and link first
constexpr milliseconds end_grace{10'000};
constexpr milliseconds look_time{100};
constexpr std::size_t most_named = 6;
// Any register will do; this one is the time stamp counter.
constexpr const char* harmless_register = "0x10";

std::int64_t wall_minus_monotonic() {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec - monotonic_ns();
}

// Whether registers can be read, by what the tool printed; it exits 0 either way.
Status check_access() {
    const auto reader = find_tool("pcm-msr", package);
    if (!reader)
        return fail(reader.error());
    const auto answer = ask_tool({*reader, "-c", "0", harmless_register});
    if (!answer)
        return fail(answer.error());
    if (answer->output.find("Read value") != std::string::npos)
        return {};
    const auto said = complaints_in(answer->errors + "\n" + answer->output);
    return fail(said.empty() ? "pcm-msr says nothing" : said.front(), "", ErrorClass::unavailable);
}

// pcm's own reason where registers cannot be read; it programs nothing then.
Error refused(const std::string& pcm, const Error& access) {
    std::string words;
    if (const auto answer = ask_tool({pcm, "1", "-csv", "-i=1"}))
        words = own_words(answer->errors);
    return {ErrorClass::unavailable, "pcm: " + (words.empty() ? access.what : words),
            words.empty()
                ? "it needs bare metal, root and the msr module"
                : "a register cannot be read (" + access.what + "): it needs bare metal, root and the msr module"};
}

class PcmSource final : public Source {
  public:
    PcmSource(ToolChild child, milliseconds interval) : child_(std::move(child)), interval_(interval) {}
    PcmSource(const PcmSource&) = delete;
    PcmSource& operator=(const PcmSource&) = delete;
    PcmSource(PcmSource&&) = delete;
    PcmSource& operator=(PcmSource&&) = delete;
    ~PcmSource() override { end_pcm(); }

    // Until pcm has said what it counts.
    Status wait_for_header();

    // Rows end when pcm wakes, so the columns are made at the end.
    [[nodiscard]] std::vector<SeriesName> series() const override { return {}; }
    void start(std::int64_t now_ns) override;
    std::vector<Value> sample(std::int64_t /*now_ns*/) override { return {}; }
    void stop() override { end_ns_ = monotonic_ns(); }
    void finish(std::int64_t now_ns, Run& run) override;
    [[nodiscard]] SourceStatus status() const override;
    [[nodiscard]] bool interrupted() const override { return !trouble_.empty(); }

  private:
    void read();
    void take(std::string_view bytes);
    void wait_for_last_row();
    void end_pcm();
    [[nodiscard]] std::int64_t interval_ns() const { return std::chrono::nanoseconds(interval_).count(); }
    [[nodiscard]] ToolChild::Sink sink() {
        return [this](std::string_view bytes) { take(bytes); };
    }

    ToolChild child_;
    milliseconds interval_;
    mutable std::mutex lock_; // of what follows
    PcmLive live_;
    std::vector<PcmSpan> spans_;
    std::string trouble_;
    std::string end_note_;
    std::uint64_t rows_ = 0;

    std::thread thread_;
    std::atomic<bool> ending_{false}, ended_{false};
    std::int64_t start_ns_ = 0;
    std::atomic<std::int64_t> end_ns_{0};
};

Status PcmSource::wait_for_header() {
    const auto deadline = steady_clock::now() + start_time;
    while (!live_.described()) {
        const bool more = child_.pump(look_time, sink());
        if (!trouble_.empty())
            return fail("pcm: " + trouble_, "", ErrorClass::unavailable);
        if (!more && !live_.described()) {
            child_.end(end_grace, sink());
            const auto words = own_words(child_.errors());
            return fail("pcm: " + (words.empty() ? "it ended without a word" : words),
                        "a PMU that another program holds is free once that has ended; never reset it with pcm -r",
                        ErrorClass::unavailable);
        }
        if (steady_clock::now() > deadline)
            return fail("pcm printed no header for 30 s", "", ErrorClass::unavailable);
    }
    return {};
}

void PcmSource::take(std::string_view bytes) {
    const std::lock_guard<std::mutex> held(lock_);
    if (!trouble_.empty())
        return;
    if (const auto fed = live_.feed(bytes); !fed) {
        trouble_ = fed.error().message();
        return;
    }
    const std::int64_t now = monotonic_ns();
    const std::int64_t offset = wall_minus_monotonic();
    for (PcmRow& row : live_.take_rows()) {
        ++rows_;
        // A stamp that is not of this moment's neighbourhood is another clock's.
        std::int64_t end = row.time_ns ? *row.time_ns - offset : now;
        if (end > now || now - end > 2 * interval_ns())
            end = now;
        const std::int64_t begin = spans_.empty() ? end - interval_ns() : spans_.back().end_ns;
        if (end > begin)
            spans_.push_back({begin, end, std::move(row.values)});
    }
}

void PcmSource::start(std::int64_t now_ns) {
    start_ns_ = now_ns;
    thread_ = std::thread([this] { read(); });
}

void PcmSource::read() {
    const auto fine = [this] {
        const std::lock_guard<std::mutex> held(lock_);
        return trouble_.empty();
    };
    while (!ending_.load() && child_.pump(look_time, sink()) && fine()) {
    }
    if (ending_.load())
        return;
    const int status = child_.end(end_grace, sink());
    const std::lock_guard<std::mutex> held(lock_);
    const auto words = own_words(child_.errors());
    if (trouble_.empty())
        trouble_ = fmt::format("pcm ended early, exit status {}{}{}", status, words.empty() ? "" : ": ", words);
    ended_.store(true);
}

// The row that reaches over the end of what is observed comes after it.
void PcmSource::wait_for_last_row() {
    const auto deadline = steady_clock::now() + interval_ + interval_ / 2;
    while (!ended_.load() && steady_clock::now() < deadline) {
        {
            const std::lock_guard<std::mutex> held(lock_);
            if (!spans_.empty() && spans_.back().end_ns >= end_ns_.load())
                return;
        }
        std::this_thread::sleep_for(milliseconds(5));
    }
}

void PcmSource::end_pcm() {
    ending_.store(true);
    if (thread_.joinable())
        thread_.join();
    if (ended_.load())
        return;
    child_.end(end_grace, sink());
    if (child_.was_killed())
        end_note_ = "pcm did not end when asked to, and was killed: its counters may still be programmed";
    ended_.store(true);
}

void PcmSource::finish(std::int64_t now_ns, Run& run) {
    wait_for_last_row();
    end_pcm();
    end_ns_ = now_ns;
    const std::lock_guard<std::mutex> held(lock_);
    for (std::size_t i = 0; i < live_.series().size(); ++i) {
        const PcmSeries& counter = live_.series()[i];
        auto values = spread(spans_, i, counter.unit, run.windows.start_ns, run.windows.end_ns);
        if (counter.unit == "bytes" || counter.unit == "1") {
            const bool whole = std::ranges::all_of(values, [](const auto& value) { return value.has_value(); });
            const double sum = std::accumulate(values.begin(), values.end(), 0.0,
                                               [](double a, const auto& value) { return a + value.value_or(0); });
            run.totals.push_back({counter.name, "pcm", counter.unit,
                                  whole && !values.empty() ? std::optional(std::llround(sum)) : std::nullopt});
        }
        run.windows.series.push_back({counter.name, "pcm", counter.unit, std::move(values)});
    }
    run.warnings.emplace_back("pcm counts the whole machine, not this server alone; its rows are shared out over "
                              "windows by time");
}

SourceStatus PcmSource::status() const {
    const std::lock_guard<std::mutex> held(lock_);
    SourceStatus status = counted_status("pcm", start_ns_, end_ns_.load());
    status.kind = EvidenceKind::measured;
    status.records = rows_;
    status.lost = live_.rows_lost();
    if (status.lost > 0)
        status.losses = {{"rows_unusable", status.lost}};
    const auto complain = [&](const std::string& what) {
        status.state = SourceState::degraded;
        status.reason += (status.reason.empty() ? "" : "; ") + what;
    };
    if (!trouble_.empty())
        complain(trouble_);
    if (!end_note_.empty())
        complain(end_note_);
    auto silent = live_.silent();
    if (!silent.empty()) {
        const std::size_t count = silent.size();
        silent.resize(std::min(count, most_named));
        complain(fmt::format("{} cells hold no count: {}{}", live_.gaps(), fmt::join(silent, ", "),
                             count > most_named ? ", ..." : ""));
    }
    return status;
}

} // namespace

Result<std::string> probe_pcm() {
    const auto pcm = find_tool("pcm", package);
    if (!pcm)
        return fail(pcm.error());
    if (const auto access = check_access(); !access)
        return fail(refused(*pcm, access.error()));
    return std::string("registers can be read; whether the PMU is free shows when it is used");
}

Result<std::unique_ptr<Source>> attach_pcm(milliseconds interval) {
    const auto pcm = find_tool("pcm", package);
    if (!pcm)
        return fail(pcm.error());
    if (const auto access = check_access(); !access)
        return fail(refused(*pcm, access.error()));
    const auto pace = std::max(interval, least_interval);
    // No columns of single cores; every row as it is made.
    auto child = ToolChild::start(
        {*pcm, fmt::format("{:.3f}", std::chrono::duration<double>(pace).count()), "-csv", "-nc", "-f"});
    if (!child)
        return fail(child.error());
    auto source = std::make_unique<PcmSource>(std::move(*child), pace);
    SNAPSCOPE_TRY(source->wait_for_header());
    return source;
}

} // namespace snapscope
