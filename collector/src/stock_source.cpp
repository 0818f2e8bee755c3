#include "stock_source.hpp"

#include "ebpf_events.hpp"
#include "server_cpu.hpp"
#include "stock_counts.hpp"

#include <snapscope/base/unique_fd.hpp>

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <thread>

namespace snapscope {
namespace {

using std::chrono::milliseconds;

// How long calls are counted for the estimate, and how many are enough.
constexpr milliseconds estimate_for{200};
constexpr milliseconds estimate_step{10};
constexpr std::uint64_t enough_calls = 20000;

class StockCounter final : public StockSource {
  public:
    StockCounter(StockPlan plan, UniqueFd binary, ServerCpu cpu, const EbpfOptions& options)
        : plan_(std::move(plan)), binary_(std::move(binary)), file_(fmt::format("/proc/self/fd/{}", binary_.get())),
          cpu_(std::move(cpu)), options_(options), budget_(options.overhead) {}

    Status load();
    Status estimate();
    Status set_up_events();
    Status observe();

    [[nodiscard]] EventFeed* events() override { return events_.get(); }
    [[nodiscard]] std::vector<SeriesName> series() const override;
    void start(std::int64_t now_ns) override;
    std::vector<Value> sample(std::int64_t now_ns) override;
    void stop() override;
    void finish(std::int64_t now_ns, Run& run) override;
    [[nodiscard]] SourceStatus status() const override;
    [[nodiscard]] bool interrupted() const override { return !broken_.empty(); }

  private:
    [[nodiscard]] std::vector<StockCount> read() const { return stock_counts(plan_, *probes_); }
    void settle_account(std::int64_t now_ns);
    void pause();
    void resume();
    [[nodiscard]] double observed_share() const;

    StockPlan plan_;
    UniqueFd binary_; // the running image, whatever its path leads to by now
    std::string file_;
    ServerCpu cpu_;
    EbpfOptions options_;
    OverheadBudget budget_;
    std::unique_ptr<StockProbes> probes_;
    std::unique_ptr<EbpfEvents> events_;
    std::vector<StockCount> last_;
    StockHits last_hits_{};
    std::string broken_;
    bool ended_ = false;
    std::int64_t start_ns_ = 0, end_ns_ = 0;
    std::int64_t window_ns_ = 0;   // where the present window began
    std::int64_t since_ns_ = 0;    // where the present observation began; 0: paused
    std::int64_t observed_ns_ = 0; // before that
    std::uint32_t pauses_ = 0;
};

Status StockCounter::load() {
    auto options = plan_.options();
    options.events = options_.events;
    auto probes = StockProbes::load(options);
    if (!probes)
        return fail(probes.error());
    probes_ = std::move(*probes);
    return {};
}

// A look of its own at how often the functions are called, without what the
// probes would do there.
Status StockCounter::estimate() {
    SNAPSCOPE_TRY(plan_.measure_costs());
    for (const auto& function : plan_.functions())
        if (function.probe != SNAPSCOPE_STOCK_RETURN)
            SNAPSCOPE_TRY(probes_->attach_estimate(file_, function));
    (void)cpu_.advance();
    const std::int64_t start = monotonic_ns();
    probes_->set_counting(true);
    StockHits seen{};
    const auto calls = [&] { return seen.own[SNAPSCOPE_STOCK_SNAPSHOT] + seen.others[SNAPSCOPE_STOCK_SNAPSHOT]; };
    for (milliseconds waited{0}; waited < estimate_for && calls() < enough_calls; waited += estimate_step) {
        std::this_thread::sleep_for(estimate_step);
        seen = probes_->hits();
    }
    probes_->set_counting(false);
    const auto elapsed = static_cast<double>(monotonic_ns() - start);
    probes_->detach();
    seen = probes_->hits();
    last_hits_ = seen;
    const auto rates = rates_of(seen, elapsed, static_cast<double>(cpu_.advance().value_or(0)));
    const auto text = describe_cost(plan_, rates, budget_);
    if (budget_.duty(cost_share(plan_, rates)) < least_duty)
        return fail(Error{ErrorClass::unavailable, text, "allow more with --overhead, or use --source mirror"});
    if (options_.note)
        options_.note("ebpf: " + text);
    return {};
}

Status StockCounter::set_up_events() {
    if (!options_.events)
        return {};
    if (!plan_.unknown().empty())
        return fail(Error{ErrorClass::unavailable, "events need slots: " + plan_.unknown(), "leave --events out"});
    const auto lost = [this] { return probes_->hits().reserve_failed; };
    auto events = EbpfEvents::create(probes_->event_map(), probes_->event_bytes(), lost, plan_.options().rows);
    if (!events)
        return fail(events.error());
    events_ = std::move(*events);
    events_->on_close([this] { probes_->detach(); });
    return {};
}

Status StockCounter::observe() {
    for (const auto& function : plan_.functions())
        SNAPSCOPE_TRY(probes_->attach(file_, function));
    return plan_.waits() ? probes_->attach_waits(file_) : Status{};
}

std::vector<SeriesName> StockCounter::series() const {
    std::vector<SeriesName> names;
    for (const auto& counted : read())
        names.push_back({counted.name, counted.unit});
    return names;
}

void StockCounter::start(std::int64_t now_ns) {
    start_ns_ = window_ns_ = since_ns_ = now_ns;
    (void)cpu_.advance();
    probes_->set_counting(true);
    last_ = read();
}

// Takes the probes off until the account allows them again.
void StockCounter::pause() {
    probes_->set_counting(false);
    observed_ns_ += monotonic_ns() - since_ns_;
    since_ns_ = 0;
    ++pauses_;
    probes_->detach();
}

void StockCounter::resume() {
    if (const auto again = observe(); !again) {
        probes_->detach();
        broken_ = again.error().message();
        return;
    }
    probes_->set_counting(true);
    since_ns_ = monotonic_ns();
}

void StockCounter::settle_account(std::int64_t now_ns) {
    const auto hits = probes_->hits();
    const auto used = cpu_.advance();
    const auto elapsed = static_cast<double>(now_ns - window_ns_);
    // Without the server's CPU time the account stands still, and so does what is spent of it.
    if (used)
        budget_.add(elapsed, static_cast<double>(*used), plan_.ns_of(hits_between(last_hits_, hits)));
    last_hits_ = hits;
    if (ended_ || !broken_.empty())
        return;
    if (since_ns_ != 0 && !budget_.allows())
        pause();
    else if (since_ns_ == 0 && budget_.allows())
        resume();
}

// A window that was observed in part is scaled to its whole length; one that was
// hardly observed has no values.
std::vector<Value> StockCounter::sample(std::int64_t now_ns) {
    constexpr double enough = 0.5;
    constexpr double whole = 0.999;
    const auto now = read();
    const std::int64_t began = std::max(since_ns_, window_ns_);
    const auto elapsed = static_cast<double>(std::max<std::int64_t>(now_ns - window_ns_, 1));
    const double part = since_ns_ == 0 ? 0 : static_cast<double>(now_ns - began) / elapsed;
    std::vector<Value> values(now.size());
    for (std::size_t i = 0; i < now.size() && part >= enough; ++i)
        if (now[i].value)
            values[i] = static_cast<double>(*now[i].value - *last_[i].value) / (part > whole ? 1 : part);
    last_ = now;
    settle_account(now_ns);
    window_ns_ = now_ns;
    return values;
}

void StockCounter::stop() {
    probes_->set_counting(false);
    ended_ = true;
}

double StockCounter::observed_share() const {
    const auto whole = static_cast<double>(std::max<std::int64_t>(end_ns_ - start_ns_, 1));
    return std::clamp(static_cast<double>(observed_ns_) / whole, 0.0, 1.0);
}

void StockCounter::finish(std::int64_t now_ns, Run& run) {
    end_ns_ = now_ns;
    if (since_ns_ != 0)
        observed_ns_ += now_ns - since_ns_;
    since_ns_ = 0;
    probes_->detach(); // waits for probes that were under way
    for (const auto& counted : read()) {
        std::optional<std::int64_t> value;
        if (counted.value)
            value = static_cast<std::int64_t>(*counted.value);
        run.totals.push_back({counted.name, "ebpf", counted.unit, value});
    }
    run.totals.push_back({"observed_ns", "ebpf", "ns", observed_ns_});
    put_stock_histograms(plan_, *probes_, run);
    put_stock_slots(plan_, *probes_, run);
    run.warnings.insert(run.warnings.end(), plan_.warnings().begin(), plan_.warnings().end());
    if (events_)
        run.clock.backward_stamps += events_->backward_stamps();
}

SourceStatus StockCounter::status() const {
    SourceStatus status = counted_status("ebpf", start_ns_, end_ns_);
    const auto complain = [&](const std::string& reason, const std::string& hint) {
        status.state = SourceState::degraded;
        status.reason += (status.reason.empty() ? "" : ", ") + reason;
        status.hint = hint;
    };
    if (events_) {
        status.records = events_->records();
        status.losses = {{"bpf_reserve", events_->reserve_failed()}, {"malformed", events_->malformed()}};
    }
    status.losses.push_back({"unplaced", probes_->hits().unplaced});
    std::erase_if(status.losses, [](const NamedCount& way) { return way.count == 0; });
    for (const auto& way : status.losses)
        status.lost += way.count;
    if (status.lost > 0)
        complain(fmt::format("{} events lost", status.lost), "record without --events, or fewer of them");
    if (!plan_.unknown().empty())
        complain("slots and outcomes cannot be told: " + plan_.unknown(), "");
    if (pauses_ > 0)
        complain(fmt::format("observed {:.1f} % of the time to stay within --overhead {:g}%: totals are of that part, "
                             "windows are scaled",
                             100 * observed_share(), 100 * budget_.share()),
                 "allow more with --overhead");
    if (!broken_.empty())
        complain("the probes could not be set again: " + broken_, "");
    return status;
}

Result<std::unique_ptr<StockCounter>> prepare(const ProcFs& proc, pid_t postmaster, const EbpfOptions& options) {
    const std::string exe = proc.path(postmaster, "exe").string();
    UniqueFd binary(::open(exe.c_str(), O_RDONLY | O_CLOEXEC));
    if (!binary)
        return fail(bpf_error("cannot open the server's binary", errno));
    auto plan = StockPlan::make(proc, postmaster, exe);
    if (!plan)
        return fail(plan.error());
    auto source =
        std::make_unique<StockCounter>(std::move(*plan), std::move(binary), ServerCpu(proc, postmaster), options);
    SNAPSCOPE_TRY(source->load());
    return source;
}

} // namespace

Result<std::unique_ptr<EbpfSource>> StockSource::attach(const ProcFs& proc, pid_t postmaster,
                                                        const EbpfOptions& options) {
    auto source = prepare(proc, postmaster, options);
    if (!source)
        return fail(source.error());
    SNAPSCOPE_TRY((*source)->estimate());
    SNAPSCOPE_TRY((*source)->set_up_events());
    SNAPSCOPE_TRY((*source)->observe());
    return std::unique_ptr<EbpfSource>(std::move(*source));
}

} // namespace snapscope
