#include "ebpf_source.hpp"

#include "ebpf_events.hpp"
#include "probe_links.hpp"
#include "stock_source.hpp"

#include <snapscope/collector/binary.hpp>
#include <snapscope/collector/header.hpp>

#include <algorithm>
#include <cerrno>

// The skeleton is C and says _Bool.
#define _Bool bool // NOLINT(bugprone-reserved-identifier)

// clang-format off: the skeleton needs the names of the one before
#include "snapshot_bpf.h"
#include "snapshot_bpf.skel.h"
// clang-format on

namespace snapscope {
namespace {

constexpr std::uint32_t event_ring_bytes = 8U << 20;
constexpr std::uint32_t no_ring_bytes = 4096;

struct ProbeName {
    const char* name;
    snapscope_event event;
};
constexpr ProbeName probe_names[] = {{"snapshot__start", SNAPSCOPE_EV_SNAPSHOT_START},
                                     {"snapshot__done", SNAPSCOPE_EV_SNAPSHOT_DONE},
                                     {"rebuild", SNAPSCOPE_EV_REBUILD},
                                     {"wait", SNAPSCOPE_EV_WAIT},
                                     {"copy", SNAPSCOPE_EV_COPY},
                                     {"invalidate", SNAPSCOPE_EV_INVALIDATE},
                                     {"xid__assigned", SNAPSCOPE_EV_XID_ASSIGNED},
                                     {"xact__end", SNAPSCOPE_EV_XACT_END},
                                     {"xmin__set", SNAPSCOPE_EV_XMIN_SET},
                                     {"xmin__cleared", SNAPSCOPE_EV_XMIN_CLEARED},
                                     {"slot__taken", SNAPSCOPE_EV_SLOT_TAKEN},
                                     {"slot__released", SNAPSCOPE_EV_SLOT_RELEASED},
                                     {"ring__on", SNAPSCOPE_EV_RING_ON},
                                     {"horizon__refresh", SNAPSCOPE_EV_HORIZON_REFRESH}};
// Without events, only what is counted is worth a trap.
constexpr snapscope_event counted_events[] = {
    SNAPSCOPE_EV_SNAPSHOT_START, SNAPSCOPE_EV_SNAPSHOT_DONE, SNAPSCOPE_EV_WAIT,           SNAPSCOPE_EV_INVALIDATE,
    SNAPSCOPE_EV_XID_ASSIGNED,   SNAPSCOPE_EV_XACT_END,      SNAPSCOPE_EV_HORIZON_REFRESH};

bool wanted(snapscope_event event, bool events) {
    return events || std::find(std::begin(counted_events), std::end(counted_events), event) != std::end(counted_events);
}

struct Counted {
    std::string name;
    std::optional<std::uint64_t> value;
};

struct DestroySkeleton {
    void operator()(snapshot_bpf* skeleton) const { snapshot_bpf__destroy(skeleton); }
};

class UsdtCounter final : public EbpfSource {
  public:
    explicit UsdtCounter(const EbpfOptions& options) : options_(options) {}

    Status load(pid_t postmaster);
    Status attach_probes(const std::string& binary, const std::vector<std::string>& probes);
    Status set_up_events();

    [[nodiscard]] EventFeed* events() override { return events_.get(); }
    [[nodiscard]] std::vector<SeriesName> series() const override;
    void start(std::int64_t now_ns) override;
    std::vector<Value> sample(std::int64_t now_ns) override;
    void stop() override { set_counting(false); }
    void finish(std::int64_t now_ns, Run& run) override;
    void look(Run& run) const override { put_histograms(run); }
    [[nodiscard]] SourceStatus status() const override;

  private:
    // The probes stay attached, which takes long to change.
    void set_counting(bool on) { __atomic_store_n(&skeleton_->bss->counting, on ? 1U : 0U, __ATOMIC_RELEASE); }
    [[nodiscard]] std::vector<Counted> read() const;
    void put_histograms(Run& run) const;

    EbpfOptions options_;
    std::unique_ptr<snapshot_bpf, DestroySkeleton> skeleton_;
    ProbeLinks links_; // goes before the program
    std::unique_ptr<EbpfEvents> events_;
    std::vector<Counted> last_;
    std::int64_t start_ns_ = 0, end_ns_ = 0;
};

Status UsdtCounter::load(pid_t postmaster) {
    silence_libbpf();
    skeleton_.reset(snapshot_bpf__open());
    if (!skeleton_)
        return fail(bpf_error("cannot open the BPF program", errno));
    skeleton_->rodata->target_postmaster = static_cast<unsigned int>(postmaster);
    skeleton_->rodata->want_events = options_.events ? 1 : 0;
    bpf_map__set_max_entries(skeleton_->maps.events, options_.events ? event_ring_bytes : no_ring_bytes);
    if (const int error = snapshot_bpf__load(skeleton_.get()); error != 0)
        return fail(bpf_error("cannot load the BPF program", error));
    return {};
}

Status UsdtCounter::attach_probes(const std::string& binary, const std::vector<std::string>& probes) {
    for (const auto& probe : probe_names) {
        // A mode of the server may compile a site out.
        if (!wanted(probe.event, options_.events) ||
            std::find(probes.begin(), probes.end(), probe.name) == probes.end())
            continue;
        LIBBPF_OPTS(bpf_usdt_opts, how, .usdt_cookie = static_cast<std::uint64_t>(probe.event));
        SNAPSCOPE_TRY(links_.add(std::string("the probe ") + probe.name, [&] {
            return bpf_program__attach_usdt(skeleton_->progs.on_probe, -1, binary.c_str(), "snapscope", probe.name,
                                            &how);
        }));
    }
    return {};
}

Status UsdtCounter::set_up_events() {
    if (!options_.events)
        return {};
    const auto lost = [this] {
        std::uint64_t sum = 0;
        for (const auto& cpu : read_per_cpu<snapscope_bpf_counts>(bpf_map__fd(skeleton_->maps.counts), 0))
            sum += cpu.reserve_failed;
        return sum;
    };
    auto events = EbpfEvents::create(bpf_map__fd(skeleton_->maps.events), event_ring_bytes, lost, options_.slots);
    if (!events)
        return fail(events.error());
    events_ = std::move(*events);
    events_->on_close([this] { links_.clear(); });
    return {};
}

std::vector<Counted> UsdtCounter::read() const {
    snapscope_bpf_counts sum{};
    for (const auto& cpu : read_per_cpu<snapscope_bpf_counts>(bpf_map__fd(skeleton_->maps.counts), 0)) {
        for (std::size_t i = 0; i < SNAPSCOPE_EV_COUNT; ++i)
            sum.types[i] += cpu.types[i];
        for (std::size_t i = 0; i < SNAPSCOPE_BPF_OUTCOMES; ++i)
            sum.outcomes[i] += cpu.outcomes[i];
        for (std::size_t i = 0; i < SNAPSCOPE_REASON_COUNT; ++i)
            sum.reasons[i] += cpu.reasons[i];
        sum.waited += cpu.waited;
        sum.lockfree += cpu.lockfree;
        sum.kept += cpu.kept;
        sum.retries += cpu.retries;
        sum.spins += cpu.spins;
        sum.gave_up += cpu.gave_up;
        sum.xacts_with_xid += cpu.xacts_with_xid;
    }
    std::vector<Counted> counted{{"snapshots_taken", sum.types[SNAPSCOPE_EV_SNAPSHOT_DONE]},
                                 {"snapshots_reused", sum.outcomes[SNAPSCOPE_OUTCOME_REUSED]},
                                 {"snapshots_rebuilt", sum.outcomes[SNAPSCOPE_OUTCOME_REBUILT]},
                                 {"snapshots_private_scans", sum.outcomes[SNAPSCOPE_OUTCOME_PRIVATE_SCAN]},
                                 {"snapshots_waited", sum.waited},
                                 {"snapshots_lockfree", sum.lockfree},
                                 {"snapshots_kept", sum.kept},
                                 {"snapshots_retries", sum.retries},
                                 {"snapshots_gave_up", sum.gave_up},
                                 {"builder_spins", sum.spins},
                                 {"horizon_refreshes", sum.types[SNAPSCOPE_EV_HORIZON_REFRESH]},
                                 {"xids_assigned", sum.types[SNAPSCOPE_EV_XID_ASSIGNED]},
                                 {"xacts_with_xid", sum.xacts_with_xid},
                                 {"xacts_without_xid", sum.types[SNAPSCOPE_EV_XACT_END] - sum.xacts_with_xid}};
    for (std::uint32_t reason = SNAPSCOPE_REASON_XACT_END; reason < SNAPSCOPE_REASON_COUNT; ++reason)
        counted.push_back({std::string("invalidations_") + reason_name(reason), sum.reasons[reason]});
    for (auto& total : counted)
        if (!mode_tells(options_.mode, total.name))
            total.value.reset();
    return counted;
}

std::vector<SeriesName> UsdtCounter::series() const {
    std::vector<SeriesName> names;
    for (const auto& counted : read())
        names.push_back({counted.name, "1"});
    return names;
}

void UsdtCounter::start(std::int64_t now_ns) {
    start_ns_ = now_ns;
    set_counting(true);
    last_ = read();
}

std::vector<Value> UsdtCounter::sample(std::int64_t /*now_ns*/) {
    auto now = read();
    std::vector<Value> values;
    for (std::size_t i = 0; i < now.size(); ++i)
        values.push_back(now[i].value ? Value(static_cast<double>(*now[i].value - *last_[i].value)) : Value());
    last_ = std::move(now);
    return values;
}

void UsdtCounter::put_histograms(Run& run) const {
    std::array<LogHistogram, outcome_count> by_outcome;
    for (unsigned int outcome = 0; outcome < SNAPSCOPE_BPF_OUTCOMES; ++outcome) {
        for (const auto& cpu : read_per_cpu<snapscope_bpf_durations>(bpf_map__fd(skeleton_->maps.durations), outcome)) {
            for (std::size_t bucket = 0; bucket < SNAPSCOPE_BUCKETS; ++bucket)
                by_outcome[outcome].add_bucket(bucket, cpu.buckets[bucket]);
            if (cpu.any != 0)
                by_outcome[outcome].note_extremes(cpu.min, cpu.max);
        }
    }
    for (auto& histogram : duration_histograms(by_outcome, "ebpf"))
        run.histograms.push_back(std::move(histogram));
}

void UsdtCounter::finish(std::int64_t now_ns, Run& run) {
    end_ns_ = now_ns;
    links_.clear(); // waits for probes that were under way: their events and counts are the same then
    for (const auto& counted : read()) {
        std::optional<std::int64_t> value;
        if (counted.value)
            value = static_cast<std::int64_t>(*counted.value);
        run.totals.push_back({counted.name, "ebpf", "1", value});
    }
    put_histograms(run);
    if (events_)
        run.clock.backward_stamps += events_->backward_stamps();
}

SourceStatus UsdtCounter::status() const {
    SourceStatus status = counted_status("ebpf", start_ns_, end_ns_);
    if (!events_)
        return status;
    status.records = events_->records();
    status.losses = {{"bpf_reserve", events_->reserve_failed()}, {"malformed", events_->malformed()}};
    std::erase_if(status.losses, [](const NamedCount& way) { return way.count == 0; });
    for (const auto& way : status.losses)
        status.lost += way.count;
    if (status.lost > 0) {
        status.state = SourceState::degraded;
        status.reason = std::to_string(status.lost) + " events lost";
        status.hint = "record events from the rings instead (--source ring)";
    }
    return status;
}

// The binary's probes; none where the server is not patched.
Result<std::vector<std::string>> probes_of(const std::string& binary) {
    auto facts = read_binary(binary);
    if (!facts)
        return fail(Error{ErrorClass::unavailable, facts.error().what, "run as the server's user or as root"});
    return std::move(facts->snapscope_probes);
}

} // namespace

Status EbpfSource::check(const ProcFs& proc, pid_t postmaster) {
    const std::string binary = proc.path(postmaster, "exe").string();
    const auto probes = probes_of(binary);
    if (!probes)
        return fail(probes.error());
    if (probes->empty())
        SNAPSCOPE_TRY(StockSource::check(binary));
    return check_bpf_rights();
}

Result<std::string> EbpfSource::probe(const ProcFs& proc, pid_t postmaster) {
    SNAPSCOPE_TRY(check(proc, postmaster));
    const auto probes = probes_of(proc.path(postmaster, "exe").string());
    if (!probes)
        return fail(probes.error());
    if (probes->empty())
        return StockSource::probe(proc, postmaster);
    SNAPSCOPE_TRY(UsdtCounter({}).load(postmaster));
    return std::string();
}

Result<std::unique_ptr<EbpfSource>> EbpfSource::attach(const ProcFs& proc, pid_t postmaster,
                                                       const EbpfOptions& options) {
    const std::string binary = proc.path(postmaster, "exe").string();
    const auto probes = probes_of(binary);
    if (!probes)
        return fail(probes.error());
    SNAPSCOPE_TRY(check_bpf_rights());
    if (probes->empty())
        return StockSource::attach(proc, postmaster, options);
    auto source = std::make_unique<UsdtCounter>(options);
    SNAPSCOPE_TRY(source->load(postmaster));
    SNAPSCOPE_TRY(source->set_up_events());
    SNAPSCOPE_TRY(source->attach_probes(binary, *probes));
    return source;
}

} // namespace snapscope
