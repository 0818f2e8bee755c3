#include "bpf_support.hpp"
#include "sched_source.hpp"
#include "topology.hpp"

#include <algorithm>
#include <cerrno>
#include <map>

// clang-format off: the skeleton needs the names of the one before
#include "sched_bpf.h"
#include "sched_bpf.skel.h"
// clang-format on

namespace snapscope {
namespace {

struct DestroySkeleton {
    void operator()(sched_bpf* skeleton) const { sched_bpf__destroy(skeleton); }
};

struct Sums {
    std::uint64_t run_ns = 0, untracked = 0;
    snapscope_sched_moves moves{};
};

void operator+=(snapscope_sched_moves& sum, const snapscope_sched_moves& more) {
    sum.all += more.all;
    sum.llc += more.llc;
    sum.node += more.node;
    sum.socket += more.socket;
    sum.unplaced += more.unplaced;
}

// docs/contracts.md; `grouped`: only where it is known where CPUs lie.
struct MoveName {
    const char* name;
    unsigned long long snapscope_sched_moves::*count;
    bool grouped;
};
constexpr MoveName move_names[] = {{"migrations", &snapscope_sched_moves::all, false},
                                   {"migrations_across_llc", &snapscope_sched_moves::llc, true},
                                   {"migrations_across_node", &snapscope_sched_moves::node, true},
                                   {"migrations_across_socket", &snapscope_sched_moves::socket, true}};

// Every key and value of a hash map.
template <typename Key, typename V> std::vector<std::pair<Key, V>> read_all(int map) {
    std::vector<std::pair<Key, V>> entries;
    Key key{};
    for (const Key* previous = nullptr; bpf_map_get_next_key(map, previous, &key) == 0; previous = &key) {
        V value{};
        if (bpf_map_lookup_elem(map, &key, &value) == 0)
            entries.emplace_back(key, value);
    }
    return entries;
}

class SchedTrace final : public Source {
  public:
    explicit SchedTrace(const MemoryFile* memory) : memory_(memory) {}

    Status load(pid_t postmaster) {
        silence_libbpf();
        skeleton_.reset(sched_bpf__open());
        if (!skeleton_)
            return fail(bpf_error("cannot open the BPF program", errno));
        skeleton_->rodata->target_postmaster = static_cast<unsigned int>(postmaster);
        const auto topology = topology_of_host();
        if (topology && !topology->cpus.empty())
            bpf_map__set_max_entries(skeleton_->maps.places, topology->cpus.back().cpu + 1);
        if (const int error = sched_bpf__load(skeleton_.get()); error != 0)
            return fail(bpf_error("cannot load the BPF program", error));
        if (topology)
            place_cpus(topology->cpus);
        return {};
    }

    Status attach() {
        link_.reset(bpf_program__attach(skeleton_->progs.on_switch));
        if (!link_)
            return fail(bpf_error("cannot attach to sched_switch", errno));
        return {};
    }

    [[nodiscard]] std::vector<SeriesName> series() const override {
        std::vector<SeriesName> names{{"server_cpu_ns", "ns"}};
        for (const auto& move : move_names)
            names.push_back({move.name, "1"});
        return names;
    }

    void start(std::int64_t now_ns) override {
        start_ns_ = now_ns;
        // The program counts from now on; a plain store of a word that it only reads.
        set_start(static_cast<unsigned long long>(now_ns));
        learn_owners();
    }

    void stop() override { set_start(0); }

    std::vector<Value> sample(std::int64_t now_ns) override {
        learn_owners();
        const Sums now = read(now_ns);
        std::vector<Value> values{static_cast<double>(now.run_ns) - static_cast<double>(last_.run_ns)};
        for (const auto& move : move_names) {
            const auto moved = now.moves.*move.count - last_.moves.*move.count;
            values.push_back(tells(move) ? Value(static_cast<double>(moved)) : std::nullopt);
        }
        last_ = now;
        return values;
    }

    void finish(std::int64_t now_ns, Run& run) override {
        end_ns_ = now_ns;
        const Sums now = read(now_ns);
        link_.reset();
        run.totals.push_back({"server_cpu_ns", "sched", "ns", static_cast<std::int64_t>(now.run_ns)});
        for (const auto& move : move_names) {
            const auto moved = static_cast<std::int64_t>(now.moves.*move.count);
            run.totals.push_back({move.name, "sched", "1", tells(move) ? std::optional(moved) : std::nullopt});
        }
        untracked_ = now.untracked;
        unplaced_ = grouped_ ? now.moves.unplaced : 0;
        put_slots(run);
    }

    void look(Run& run) const override { put_slots(run); }

    [[nodiscard]] SourceStatus status() const override {
        SourceStatus status = counted_status("sched", start_ns_, end_ns_);
        if (untracked_ > 0) {
            status.state = SourceState::degraded;
            status.reason = "too many processes: the slots' CPU times are incomplete";
            status.losses = {{"untracked", untracked_}};
        }
        if (unplaced_ > 0) {
            status.state = SourceState::degraded;
            status.reason += (status.reason.empty() ? "" : ", ") + std::to_string(unplaced_) +
                             " migrations to or from CPUs whose cache, node or socket is not known";
        }
        return status;
    }

  private:
    // Every number below the largest has a place; CPUs that are offline have an unknown one.
    void place_cpus(const std::vector<Cpu>& cpus) {
        const int map = bpf_map__fd(skeleton_->maps.places);
        std::vector<snapscope_sched_place> places(
            cpus.empty() ? 0 : cpus.back().cpu + 1,
            {SNAPSCOPE_SCHED_UNKNOWN, SNAPSCOPE_SCHED_UNKNOWN, SNAPSCOPE_SCHED_UNKNOWN});
        for (const Cpu& cpu : cpus)
            places[cpu.cpu] = {cpu.llc.value_or(SNAPSCOPE_SCHED_UNKNOWN), cpu.node, cpu.socket};
        grouped_ = !places.empty();
        for (unsigned int cpu = 0; cpu < places.size(); ++cpu)
            grouped_ &= bpf_map_update_elem(map, &cpu, &places[cpu], BPF_ANY) == 0;
        llc_known_ = std::ranges::all_of(cpus, [](const Cpu& cpu) { return cpu.llc.has_value(); });
    }

    [[nodiscard]] bool tells(const MoveName& move) const {
        return !move.grouped || (grouped_ && (llc_known_ || move.count != &snapscope_sched_moves::llc));
    }

    // 0: nothing is counted.
    void set_start(unsigned long long ns) { __atomic_store_n(&skeleton_->bss->start_ns, ns, __ATOMIC_RELEASE); }

    // Sums of finished runs, and what the processes on a CPU now have run since.
    [[nodiscard]] Sums read(std::int64_t now_ns) const {
        Sums sums;
        const auto running = read_per_cpu<snapscope_sched_cpu>(bpf_map__fd(skeleton_->maps.cpus), 0);
        for (const auto& cpu : read_per_cpu<snapscope_sched_totals>(bpf_map__fd(skeleton_->maps.totals), 0)) {
            sums.run_ns += cpu.run_ns;
            sums.moves += cpu.moves;
            sums.untracked += cpu.untracked;
        }
        const auto now = static_cast<std::uint64_t>(now_ns);
        for (const auto& cpu : running) {
            if (cpu.tgid != 0 && now > cpu.since_ns)
                sums.run_ns += now - cpu.since_ns;
        }
        return sums;
    }

    // A slot may have had several owners; each process belongs to one slot.
    void learn_owners() {
        if (memory_ == nullptr)
            return;
        for (std::uint32_t slot = 0; slot < memory_->header().slots; ++slot) {
            const auto pid = __atomic_load_n(&memory_->counters(slot)->owner_pid, __ATOMIC_RELAXED);
            if (pid != 0)
                slot_of_[pid] = slot;
        }
    }

    // Of a slot's owners together; every one of them has moved some number of times.
    void put_moves(Slot& row, const snapscope_sched_moves& moves) const {
        const auto add = [](std::optional<std::uint64_t>& sum, unsigned long long more) {
            sum = sum.value_or(0) + more;
        };
        add(row.migrations, moves.all);
        if (!grouped_)
            return;
        if (llc_known_)
            add(row.migrations_across_llc, moves.llc);
        add(row.migrations_across_node, moves.node);
        add(row.migrations_across_socket, moves.socket);
    }

    void put_slots(Run& run) const {
        if (slot_of_.empty())
            return;
        std::map<std::uint32_t, std::map<std::uint32_t, std::int64_t>> residency;
        for (const auto& [key, ran] :
             read_all<snapscope_sched_key, unsigned long long>(bpf_map__fd(skeleton_->maps.runs))) {
            if (const auto slot = slot_of_.find(key.tgid); slot != slot_of_.end())
                residency[slot->second][key.cpu] += static_cast<std::int64_t>(ran);
        }
        for (const auto& [slot, cpus] : residency) {
            Slot& row = slot_row(run, slot);
            put_moves(row, {});
            for (const auto& [cpu, ran] : cpus)
                row.residency.push_back({cpu, ran});
        }
        for (const auto& [tgid, task] :
             read_all<unsigned int, snapscope_sched_task>(bpf_map__fd(skeleton_->maps.tasks))) {
            const auto slot = slot_of_.find(tgid);
            if (slot == slot_of_.end() || !residency.contains(slot->second))
                continue;
            put_moves(slot_row(run, slot->second), task.moves);
        }
    }

    const MemoryFile* memory_;
    std::unique_ptr<sched_bpf, DestroySkeleton> skeleton_;
    std::unique_ptr<bpf_link, DestroyLink> link_;
    std::map<std::uint32_t, std::uint32_t> slot_of_;
    Sums last_;
    std::uint64_t untracked_ = 0, unplaced_ = 0;
    bool grouped_ = false, llc_known_ = false; // where CPUs lie
    std::int64_t start_ns_ = 0, end_ns_ = 0;
};

} // namespace

Result<std::unique_ptr<Source>> trace_sched(pid_t postmaster, const MemoryFile* memory) {
    SNAPSCOPE_TRY(check_bpf_rights());
    auto source = std::make_unique<SchedTrace>(memory);
    SNAPSCOPE_TRY(source->load(postmaster));
    SNAPSCOPE_TRY(source->attach());
    return source;
}

Status probe_sched_trace(pid_t postmaster) {
    SNAPSCOPE_TRY(check_bpf_rights());
    return SchedTrace(nullptr).load(postmaster);
}

} // namespace snapscope
