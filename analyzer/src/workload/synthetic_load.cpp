#include "placement.hpp"

#include <snapscope/analyzer/synthetic_load.hpp>
#include <snapscope/base/text.hpp>
#include <snapscope/probes/abi.h>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <queue>
#include <random>

namespace snapscope {
namespace {

constexpr std::uint32_t spare_connections = 8;
constexpr std::uint32_t most_connections = 200'000;
constexpr std::uint64_t most_snapshots = 10'000'000'000;
constexpr double most_ns = 1e9;
constexpr std::uint32_t first_xid = 1000;
constexpr std::uint32_t first_pid = 10'000;

std::uint32_t connections(const SyntheticLoad& load) {
    return load.max_connections != 0 ? load.max_connections : load.clients + load.idle + spare_connections;
}

// As a fresh server hands slots out: from the highest down.  Clients come first.
std::uint32_t slot_of(const SyntheticLoad& load, std::uint32_t client) {
    return connections(load) - 1 - client;
}

template <typename T> bool take(std::string_view text, T low, T high, T& value) {
    std::optional<T> number;
    if constexpr (std::is_integral_v<T>)
        number = parse_integer<T>(text);
    else
        number = parse_double(text);
    if (!number || *number < low || *number > high)
        return false;
    value = *number;
    return true;
}

bool take_mode(std::string_view text, CacheMode& mode) {
    for (const CacheMode each : {CacheMode::off, CacheMode::copy, CacheMode::spin, CacheMode::lockfree})
        if (text == to_string(each)) {
            mode = each;
            return true;
        }
    return false;
}

bool take_field(SyntheticLoad& load, std::string_view name, std::string_view text) {
    if (name == "mode")
        return take_mode(text, load.mode);
    if (name == "clients")
        return take(text, 1U, most_connections, load.clients);
    if (name == "idle")
        return take(text, 0U, most_connections, load.idle);
    if (name == "snapshots")
        return take(text, std::uint64_t{1}, most_snapshots, load.snapshots);
    if (name == "snapshots_per_xact")
        return take(text, 1U, 1000U, load.snapshots_per_xact);
    if (name == "write_share")
        return take(text, 0.0, 1.0, load.write_share);
    if (name == "snapshot_ns")
        return take(text, 1.0, most_ns, load.snapshot_ns);
    if (name == "xact_ns")
        return take(text, 1.0, most_ns, load.xact_ns);
    if (name == "max_connections")
        return take(text, 1U, most_connections, load.max_connections);
    if (name == "seed")
        return take(text, std::uint64_t{0}, ~std::uint64_t{0}, load.seed);
    return false;
}

// One transaction of one client at a time a CPU; a queue of what each does next.
class Generator {
  public:
    Generator(const SyntheticLoad& load, const Topology& topology, CpuPolicy policy) : load_(load), random_(load.seed) {
        std::vector<std::uint32_t> slots;
        for (std::uint32_t client = 0; client < load.clients; ++client)
            slots.push_back(slot_of(load, client));
        CpuPlacement placement(topology, policy, slots);
        std::map<std::uint16_t, std::vector<std::uint32_t>> clients; // slots, by CPU
        for (const std::uint32_t slot : slots)
            clients[placement.place(slot, 0).value_or(0)].push_back(slot);
        for (auto& [cpu, on_it] : clients) {
            lanes_.push_back({static_cast<std::uint16_t>(topology.cpus[cpu].cpu), std::move(on_it), 0, {}, 0});
            lanes_.back().now_ns = duration(load.xact_ns);
            plan_transaction(lanes_.back());
            next_.push({lanes_.back().events.front().time_ns, lanes_.size() - 1});
        }
    }

    std::size_t fill(std::span<EventTraceReader::Item> items) {
        std::size_t count = 0;
        while (count < items.size() && !next_.empty()) {
            const std::size_t index = next_.top().second;
            next_.pop();
            Lane& lane = lanes_[index];
            items[count] = {EventSource::ring, lane.events[lane.at++]};
            count_running(items[count++].event);
            if (lane.at == lane.events.size()) {
                if (planned_ >= load_.snapshots)
                    continue; // this CPU has done its part
                plan_transaction(lane);
            }
            next_.push({lane.events[lane.at].time_ns, index});
        }
        return count;
    }

  private:
    struct Lane {
        std::uint16_t cpu = 0; // the system's number
        std::vector<std::uint32_t> slots;
        std::size_t turn = 0;
        std::vector<Event> events; // of its transaction
        std::size_t at = 0;
        std::int64_t now_ns = 0;
    };

    // How many xids a snapshot finds is known once the order of all CPUs is.
    void count_running(Event& event) {
        if (event.type == SNAPSCOPE_EV_XID_ASSIGNED)
            ++running_;
        else if (event.type == SNAPSCOPE_EV_XACT_END && event.a != 0)
            --running_;
        else if (event.type == SNAPSCOPE_EV_SNAPSHOT_DONE)
            event.a = running_;
    }

    double uniform() { return static_cast<double>(random_() >> 11U) * 0x1p-53; }
    std::int64_t duration(double mean_ns) {
        return static_cast<std::int64_t>(std::llround(-std::log1p(-uniform()) * mean_ns)) + 1;
    }

    void plan_transaction(Lane& lane) {
        const std::uint32_t slot = lane.slots[lane.turn++ % lane.slots.size()];
        lane.events.clear();
        lane.at = 0;
        const auto add = [&](std::uint8_t type, std::uint32_t a = 0) -> Event& {
            Event event;
            event.time_ns = lane.now_ns;
            event.slot = slot;
            event.pid = first_pid + slot;
            event.cpu = lane.cpu;
            event.type = type;
            event.a = a;
            lane.events.push_back(event);
            return lane.events.back();
        };
        const double rest_ns = std::max(1.0, load_.xact_ns - load_.snapshot_ns * load_.snapshots_per_xact);
        const double pause_ns = rest_ns / (load_.snapshots_per_xact + 1.0);
        const bool writes = uniform() < load_.write_share;
        for (std::uint32_t i = 0; i < load_.snapshots_per_xact; ++i) {
            lane.now_ns += duration(pause_ns);
            add(SNAPSCOPE_EV_SNAPSHOT_START);
            lane.now_ns += duration(load_.snapshot_ns);
            Event& done = add(SNAPSCOPE_EV_SNAPSHOT_DONE);
            done.outcome = SNAPSCOPE_OUTCOME_PRIVATE_SCAN;
            done.c = done.d = first_xid;
            add(SNAPSCOPE_EV_XMIN_SET, first_xid);
            if (writes && i == 0)
                add(SNAPSCOPE_EV_XID_ASSIGNED, ++xid_);
            lane.now_ns += duration(pause_ns / 2);
            add(SNAPSCOPE_EV_XMIN_CLEARED, first_xid);
            ++planned_;
        }
        lane.now_ns += duration(pause_ns);
        add(SNAPSCOPE_EV_XACT_END, writes ? xid_ : 0);
    }

    SyntheticLoad load_;
    std::mt19937_64 random_;
    std::vector<Lane> lanes_;
    std::priority_queue<std::pair<std::int64_t, std::size_t>, std::vector<std::pair<std::int64_t, std::size_t>>,
                        std::greater<>>
        next_;
    std::uint64_t planned_ = 0;
    std::uint32_t xid_ = first_xid;
    std::uint32_t running_ = 0; // with an xid
};

} // namespace

Result<SyntheticLoad> synthetic_load_from_text(std::string_view text) {
    SyntheticLoad load;
    for (const std::string& part : split(text, ',')) {
        if (trim(part).empty())
            continue;
        const auto equals = part.find('=');
        const std::string_view name = trim(std::string_view(part).substr(0, equals));
        const std::string_view value =
            equals == std::string::npos ? std::string_view() : trim(std::string_view(part).substr(equals + 1));
        if (!take_field(load, name, value))
            return fail(fmt::format("'{}' is no part of a synthetic load", part),
                        "clients=N, idle=N, mode=off|copy|spin|lockfree, snapshots=N, snapshots_per_xact=N, "
                        "write_share=0..1, snapshot_ns=N, xact_ns=N, max_connections=N, seed=N",
                        ErrorClass::usage);
    }
    if (std::uint64_t{load.clients} + load.idle > connections(load))
        return fail(fmt::format("{} clients and {} idle connections do not fit max_connections={}", load.clients,
                                load.idle, load.max_connections),
                    "", ErrorClass::usage);
    return load;
}

std::string describe(const SyntheticLoad& load) {
    return fmt::format("clients={},idle={},mode={},snapshots={},snapshots_per_xact={},write_share={},snapshot_ns={},"
                       "xact_ns={},max_connections={},seed={}",
                       load.clients, load.idle, to_string(load.mode), load.snapshots, load.snapshots_per_xact,
                       load.write_share, load.snapshot_ns, load.xact_ns, connections(load), load.seed);
}

Run synthetic_run(const SyntheticLoad& load) {
    Run run;
    run.finished = true;
    run.events = true;
    run.server.version = "13";
    run.server.snapshot_cache = "off"; // the events are; simulate() replays them in the mode
    run.server.max_connections = connections(load);
    ProcSettings settings;
    settings.max_connections = connections(load);
    const ProcArrays arrays = compute_proc_arrays(settings);
    const auto add = [&](const char* name, std::uint64_t address, std::uint64_t stride, std::uint64_t entries) {
        run.layout.arrays.push_back({name, address, stride, entries, 0, 0});
    };
    add("PGXACT", arrays.pgxact_address, arrays.pgxact_stride, arrays.slots);
    add("pgprocnos", arrays.pgprocnos_address, 4, arrays.proc_limit);
    add("ProcArrayLock", arrays.lock_address, 16, 1);
    add("latestCompletedXid", arrays.latest_completed_xid_address, 4, 1);
    add("snapshot_copy", arrays.copy_address, 1, 1);
    for (std::uint32_t i = 0; i < load.clients + load.idle; ++i) {
        Slot slot;
        slot.slot = slot_of(load, i);
        slot.pid = first_pid + slot.slot;
        slot.taken = i < load.clients ? 1 : 0;
        run.slots.push_back(slot);
    }
    return run;
}

EventPull synthetic_events(const SyntheticLoad& load, const Topology& topology, CpuPolicy policy) {
    const auto generator = std::make_shared<Generator>(load, topology, policy);
    return
        [generator](std::span<EventTraceReader::Item> items) -> Result<std::size_t> { return generator->fill(items); };
}

} // namespace snapscope
