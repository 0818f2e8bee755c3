#include "hitm_source.hpp"

#include "function_names.hpp"
#include "hitm_stream.hpp"
#include "perf_reader.hpp"
#include "perf_tool.hpp"
#include "server_places.hpp"
#include "tool_child.hpp"
#include "topology.hpp"

#include <snapscope/readers/hitm_report.hpp>

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mutex>
#include <set>
#include <thread>

namespace snapscope {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr int samples_per_second = 1000;   // of each CPU and event
constexpr milliseconds start_time{20'000}; // perf first lists every process of the machine
constexpr milliseconds end_grace{10'000};
constexpr milliseconds look_time{100};
constexpr std::size_t most_owners = 4096;

std::function<std::optional<std::uint32_t>(std::uint32_t)> parents(const ProcFs& proc) {
    return [proc](std::uint32_t pid) -> std::optional<std::uint32_t> {
        const auto stat = proc.stat(static_cast<pid_t>(pid));
        return stat ? std::optional(static_cast<std::uint32_t>(stat->parent)) : std::nullopt;
    };
}

// perf, and its events that sample memory accesses here.
struct MemorySampler {
    std::string perf;
    std::vector<std::string> events;
};

// ARM's SPE writes packets of its own into a trace, which is not decoded here.
Result<MemorySampler> find_sampler() {
    auto perf = find_tool("perf", "linux-perf");
    if (!perf)
        return fail(perf.error());
    auto events = memory_events(*perf);
    if (!events)
        return fail(events.error());
    if (std::ranges::all_of(*events, [](const auto& event) { return event.starts_with("arm_spe"); }))
        return fail("perf samples memory by ARM's SPE here, whose trace this version does not decode",
                    "perf mem record -a, then perf script, and import perf-script", ErrorClass::unavailable);
    return MemorySampler{std::move(*perf), std::move(*events)};
}

class HitmSource final : public Source {
  public:
    HitmSource(ServerPlaces places, FunctionNames names, const ProcFs& proc, pid_t postmaster)
        : places_(std::move(places)), names_(std::move(names)),
          stream_(places_.map(), static_cast<std::uint32_t>(postmaster), parents(proc)) {
        if (auto topology = topology_of_host())
            cpus_ = std::move(topology->cpus);
        std::vector<std::optional<std::uint32_t>> nodes;
        for (const Cpu& cpu : cpus_) {
            nodes.resize(std::max<std::size_t>(nodes.size(), cpu.cpu + std::size_t{1}));
            nodes[cpu.cpu] = cpu.node;
        }
        stream_.tally().set_nodes(std::move(nodes));
    }
    HitmSource(const HitmSource&) = delete;
    HitmSource& operator=(const HitmSource&) = delete;
    HitmSource(HitmSource&&) = delete;
    HitmSource& operator=(HitmSource&&) = delete;
    ~HitmSource() override { end_perf(); }

    // Starts perf and waits until its stream says which events it has.
    Status start_perf(const std::string& perf, const std::vector<std::string>& events);

    // What is sampled in a window comes after it, so the columns are made at the end.
    [[nodiscard]] std::vector<SeriesName> series() const override { return {}; }
    void start(std::int64_t now_ns) override;
    std::vector<Value> sample(std::int64_t now_ns) override;
    void lose_server() override { lost_ = true; }
    void stop() override;
    void finish(std::int64_t now_ns, Run& run) override;
    [[nodiscard]] SourceStatus status() const override;
    [[nodiscard]] bool interrupted() const override { return !ended_early_.empty() || server_left_; }

  private:
    Status try_start(const std::vector<std::string>& arguments);
    void read();
    void end_perf();
    void look_at_owners();
    void put_windows(Run& run) const;

    ServerPlaces places_;
    FunctionNames names_;
    std::vector<Cpu> cpus_;
    mutable std::mutex lock_; // of the stream and the reader
    HitmStream stream_;
    std::unique_ptr<PerfReader> reader_;
    std::thread thread_;
    std::atomic<bool> stopped_{false}; // nothing counts any more
    std::atomic<bool> ending_{false};  // the thread is to end
    bool told_running_time_ = true;
    bool server_left_ = false;
    bool lost_ = false;
    std::string ended_early_; // why perf did not last
    std::string end_note_;
    std::int64_t start_ns_ = 0, end_ns_ = 0;
};

Status HitmSource::try_start(const std::vector<std::string>& arguments) {
    auto child = ToolChild::start(arguments);
    if (!child)
        return fail(child.error());
    reader_ = std::make_unique<PerfReader>(std::move(*child), stream_, lock_);
    const auto deadline = steady_clock::now() + start_time;
    while (reader_->stream.events().empty()) {
        if (!reader_->pump(look_time)) {
            reader_->child.end(look_time, reader_->sink());
            const auto words = own_words(reader_->child.errors());
            return fail("perf record: " + (words.empty()
                                               ? reader_->trouble.empty() ? "it ended without a word" : reader_->trouble
                                               : words),
                        "HITM needs CAP_PERFMON (or root) and a PMU that no one else holds", ErrorClass::unavailable);
        }
        if (steady_clock::now() > deadline)
            return fail("perf record printed nothing for 20 s", "", ErrorClass::unavailable);
    }
    return {};
}

Status HitmSource::start_perf(const std::string& perf, const std::vector<std::string>& events) {
    const auto started = try_start(perf_arguments(perf, events, samples_per_second, true));
    if (started)
        return started;
    // Older kernels and some PMUs give no counts with samples: then multiplexing is not told.
    told_running_time_ = false;
    reader_.reset();
    return try_start(perf_arguments(perf, events, samples_per_second, false));
}

void HitmSource::start(std::int64_t now_ns) {
    start_ns_ = now_ns;
    const auto& events = reader_->stream.events();
    stream_.stamps_are_monotonic(std::ranges::all_of(events, [](const PerfEvent& event) { return event.monotonic; }));
    stream_.begin(now_ns);
    thread_ = std::thread([this] { read(); });
}

void HitmSource::read() {
    while (!ending_.load() && reader_->pump(look_time)) {
    }
    if (ending_.load() || stopped_.load())
        return;
    // perf ended by itself, or what it writes cannot be read: either way it holds the counters no longer.
    const int status = reader_->child.end(end_grace, reader_->sink());
    const std::lock_guard<std::mutex> held(lock_);
    const auto words = own_words(reader_->child.errors());
    ended_early_ = !reader_->trouble.empty()
                       ? reader_->trouble
                       : fmt::format("perf ended early, exit status {}{}{}", status, words.empty() ? "" : ": ", words);
}

std::vector<Value> HitmSource::sample(std::int64_t now_ns) {
    const bool there = places_.still_there();
    const std::lock_guard<std::mutex> held(lock_);
    stream_.close_window(now_ns);
    if (!there && !server_left_ && !lost_) {
        server_left_ = true; // its arrays lie elsewhere now, or nowhere
        stream_.end(now_ns);
    }
    look_at_owners();
    return {};
}

// Of the slots whose entries moved: whose they are decides who wrote them.
void HitmSource::look_at_owners() {
    const AddressMap& map = stream_.tally().map();
    std::set<std::uint32_t> slots;
    for (const auto& [address, counts] : stream_.tally().addresses()) {
        const auto place = map.find(address);
        if (place && map.arrays()[place->array].by_slot && slots.size() < most_owners)
            slots.insert(static_cast<std::uint32_t>(place->entry));
    }
    for (const std::uint32_t slot : slots)
        stream_.tally().set_owner(slot, places_.owner(slot));
}

void HitmSource::stop() {
    end_ns_ = monotonic_ns();
    stopped_.store(true);
    {
        const std::lock_guard<std::mutex> held(lock_);
        stream_.end(end_ns_);
    }
    reader_->child.interrupt();
}

void HitmSource::end_perf() {
    if (!reader_)
        return;
    ending_.store(true);
    if (thread_.joinable())
        thread_.join();
    reader_->child.end(end_grace, reader_->sink());
    if (reader_->child.was_killed())
        end_note_ = "perf did not end when asked to, and was killed";
}

void HitmSource::put_windows(Run& run) const {
    if (!stream_.has_stamps())
        return;
    const auto put = [&](const char* name, std::uint64_t HitmWindow::*count) {
        Series series{name, "hitm", "samples", {}};
        for (const HitmWindow& window : stream_.windows())
            series.values.emplace_back(static_cast<double>(window.*count));
        series.values.resize(run.windows.start_ns.size());
        run.windows.series.push_back(std::move(series));
    };
    put("hitm_samples_local", &HitmWindow::local);
    put("hitm_samples_remote", &HitmWindow::remote);
}

void HitmSource::finish(std::int64_t /*now_ns*/, Run& run) {
    end_perf();
    const std::lock_guard<std::mutex> held(lock_);
    if (ended_early_.empty() && reader_->trouble.empty())
        if (const auto whole = reader_->stream.end(); !whole)
            ended_early_ = whole.error().what;
    if (ended_early_.empty())
        ended_early_ = reader_->trouble;
    stream_.finish();
    if (run.layout.arrays.empty())
        run.layout.arrays = places_.arrays();
    HitmContext context;
    context.function = [this](std::uint64_t ip) { return names_.of(ip); };
    context.home = [this](std::uint64_t address) { return places_.node_of(address); };
    context.cpus = cpus_;
    put_hitm(stream_.tally(), context, run);
    if (!reports_no_hitm(stream_.tally()))
        put_windows(run);
    run.warnings.push_back(fmt::format(
        "hitm: {} memory samples of the machine, {} of the server, {} in its arrays, {} a second asked for on each CPU",
        stream_.seen(), stream_.of_server(), stream_.in_arrays(), samples_per_second));
    if (!told_running_time_)
        run.warnings.emplace_back("hitm: how long the event had a counter is not told here: where it shared one, "
                                  "events are more than stated");
}

SourceStatus HitmSource::status() const {
    const std::lock_guard<std::mutex> held(lock_);
    SourceStatus status = counted_status("hitm", start_ns_, end_ns_);
    status.kind = EvidenceKind::measured;
    status.records = stream_.in_arrays();
    status.losses = {{"perf_lost", stream_.lost_samples()}, {"process_unknown", stream_.unknown_process()}};
    std::erase_if(status.losses, [](const NamedCount& way) { return way.count == 0; });
    for (const auto& way : status.losses)
        status.lost += way.count;
    const auto complain = [&](const std::string& what) {
        status.state = SourceState::degraded;
        status.reason += (status.reason.empty() ? "" : "; ") + what;
    };
    if (!ended_early_.empty())
        complain(ended_early_);
    if (!end_note_.empty())
        complain(end_note_);
    if (server_left_)
        complain("the server gave up its shared memory (it restarted after a crash, or ended): nothing is counted "
                 "from then on");
    if (stream_.throttles() > 0)
        complain(fmt::format("the kernel held the event back {} times", stream_.throttles()));
    if (status.lost > 0)
        complain(fmt::format("{} samples were lost", status.lost));
    if (end_ns_ != 0 && reports_no_hitm(stream_.tally())) {
        status.state = SourceState::unavailable;
        status.reason = no_hitm_reason;
        status.hint = no_hitm_hint;
    }
    return status;
}

} // namespace

Result<std::string> probe_hitm() {
    const auto sampler = find_sampler();
    if (!sampler)
        return fail(sampler.error());
    return fmt::format("{}", fmt::join(sampler->events, " "));
}

Result<std::unique_ptr<Source>> attach_hitm(const ProcFs& proc, const Postmaster& postmaster,
                                            const MemoryFile* memory) {
    const auto sampler = find_sampler();
    if (!sampler)
        return fail(sampler.error());
    auto places = ServerPlaces::find(proc, postmaster, memory);
    if (!places)
        return fail(places.error());
    auto source = std::make_unique<HitmSource>(std::move(*places), FunctionNames::of_server(proc, postmaster.pid), proc,
                                               postmaster.pid);
    SNAPSCOPE_TRY(source->start_perf(sampler->perf, sampler->events));
    return source;
}

} // namespace snapscope
