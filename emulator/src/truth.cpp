#include <snapscope/emulator/line_fold.hpp>
#include <snapscope/emulator/truth.hpp>

#include <algorithm>
#include <bit>
#include <map>

namespace snapscope::emulator {
namespace {

constexpr std::uint32_t snapshot_mark = 0;

std::size_t at(TracedKind kind) {
    return static_cast<std::size_t>(kind);
}

// Functions that a snapshot is made in; locks are taken in others.
bool snapshot_function(std::string_view name) {
    return name == "GetSnapshotData" || name.starts_with("SnapshotCache") || name.starts_with("SnapScope");
}

struct LineNotes {
    std::size_t range = 0;
    std::uint64_t readers = 0, writers = 0; // CPUs, a bit each
    std::optional<std::uint32_t> first_cpu;
    Movements moved;
};

// Reads of each structure within the call that a CPU is in.
class CallCounter {
  public:
    CallCounter(std::size_t ranges, std::size_t cpus) : open_(cpus), counts_(ranges) {
        for (auto& each : open_)
            each.reads.resize(ranges);
    }
    void enter(std::uint8_t cpu) {
        leave(open_[cpu]);
        open_[cpu].in = true;
        ++calls_;
    }
    void read(std::uint8_t cpu, std::size_t range, std::uint64_t count) {
        if (open_[cpu].in)
            open_[cpu].reads[range] += count;
    }
    std::vector<CallTruth> finish(const std::vector<TracedRange>& ranges) {
        for (auto& each : open_)
            leave(each);
        std::vector<CallTruth> out;
        for (std::size_t i = 0; i < ranges.size(); ++i)
            if (!counts_[i].empty())
                out.push_back(summary(ranges[i].name, counts_[i]));
        return out;
    }

  private:
    struct Call {
        bool in = false;
        std::vector<std::uint64_t> reads; // by range
    };
    void leave(Call& call) {
        for (std::size_t i = 0; i < call.reads.size(); ++i)
            if (call.in && call.reads[i] > 0)
                ++counts_[i][call.reads[i]];
        std::ranges::fill(call.reads, 0);
    }
    [[nodiscard]] CallTruth summary(const std::string& name,
                                    const std::map<std::uint64_t, std::uint64_t>& counts) const {
        CallTruth out;
        out.structure = name;
        std::uint64_t most = 0;
        std::uint64_t calls = 0;
        std::uint64_t reads = 0;
        for (const auto& [value, times] : counts) {
            calls += times;
            reads += value * times;
            if (times > most) {
                most = times;
                out.reads = value;
            }
        }
        out.share = static_cast<double>(most) / static_cast<double>(calls);
        out.mean = static_cast<double>(reads) / static_cast<double>(calls_);
        return out;
    }

    std::vector<Call> open_; // by CPU
    std::vector<std::map<std::uint64_t, std::uint64_t>> counts_;
    std::uint64_t calls_ = 0;
};

void book(Movements& to, const TracedAccess& access, const AccessOutcome& outcome) {
    to.accesses[at(access.kind)] += access.count;
    if (outcome.fetch)
        ++to.fetches[static_cast<std::size_t>(*outcome.fetch)];
    if (outcome.upgrade)
        ++to.upgrades[static_cast<std::size_t>(*outcome.upgrade)];
    to.invalidated += outcome.invalidated;
    to.cross_socket_events += outcome.cross_socket ? 1U : 0U;
}

Sharing sharing_of(const LineNotes& line) {
    if (std::popcount(line.readers | line.writers) <= 1)
        return Sharing::one_cpu;
    switch (std::popcount(line.writers)) {
    case 0:
        return Sharing::read_only;
    case 1:
        return Sharing::one_writer;
    default:
        return Sharing::several_writers;
    }
}

std::size_t range_of(const std::vector<TracedRange>& ranges, std::uint64_t line) {
    const auto found = std::ranges::find_if(ranges, [line](const TracedRange& range) {
        return line + line_bytes > range.address && line < range.address + range.bytes;
    });
    return static_cast<std::size_t>(found - ranges.begin());
}

// Goes once through a trace; counts what lies within the window.
class Analysis {
  public:
    Analysis(const AccessTrace& trace, const Topology& topology)
        : trace_(trace), topology_(topology), between_sockets_(std::size_t{topology.sockets} * topology.sockets),
          fold_(topology, trace.lines.size()), lines_(trace.lines.size()),
          calls_(trace.ranges.size(), topology.cpus.size()) {
        for (std::size_t i = 0; i < trace.lines.size(); ++i)
            lines_[i].range = range_of(trace.ranges, trace.lines[i]);
    }

    void run() {
        for (std::size_t i = 0; i < trace_.accesses.size(); ++i)
            take(trace_.accesses[i], trace_.window_begin <= i && i < trace_.window_end);
    }

    void report(PhaseTruth& out) {
        for (const TracedRange& range : trace_.ranges)
            out.by_structure.push_back({range.name, {}});
        for (std::size_t i = 0; i < lines_.size(); ++i)
            report_line(i, out);
        std::ranges::stable_sort(out.by_line, std::greater<>{},
                                 [](const LineTruth& line) { return line.moved.cross_socket_events; });
        for (const auto& [key, counts] : by_function_)
            out.by_function.push_back({trace_.functions[key.first], trace_.ranges[key.second].name, counts});
        std::ranges::stable_sort(out.by_function, std::greater<>{}, [](const FunctionTruth& row) {
            return row.accesses[0] + row.accesses[1] + row.accesses[2];
        });
        out.calls = calls_.finish(trace_.ranges);
        out.between_sockets = between_sockets_;
    }

  private:
    void take(const TracedAccess& access, bool counted) {
        if (access.kind == TracedKind::mark) {
            if (counted && access.target == snapshot_mark)
                calls_.enter(access.cpu);
            return;
        }
        LineNotes& line = lines_[access.target];
        const AccessOutcome outcome = fold_.access(access.target, access.cpu, access.kind);
        if (!line.first_cpu)
            line.first_cpu = access.cpu;
        if (!counted)
            return;
        (access.kind == TracedKind::read ? line.readers : line.writers) |= std::uint64_t{1} << access.cpu;
        book(line.moved, access, outcome);
        if (outcome.fetch && *outcome.fetch != Distance::from_memory && makes_snapshot(trace_.ranges[line.range].name))
            ++between_sockets_[std::size_t{topology_.cpus[access.cpu].socket} * topology_.sockets + outcome.supplier];
        by_function_[{access.function, line.range}][at(access.kind)] += access.count;
        if (access.kind == TracedKind::read && snapshot_function(trace_.functions[access.function]))
            calls_.read(access.cpu, line.range, access.count);
    }

    void report_line(std::size_t index, PhaseTruth& out) const {
        const LineNotes& line = lines_[index];
        const TracedRange& range = trace_.ranges[line.range];
        out.by_structure[line.range].moved += line.moved;
        if ((line.readers | line.writers) == 0)
            return;
        LineTruth row;
        row.structure = range.name;
        row.address = trace_.lines[index];
        row.index = (row.address - range.address / line_bytes * line_bytes) / line_bytes;
        row.moved = line.moved;
        row.readers = static_cast<std::uint32_t>(std::popcount(line.readers));
        row.writers = static_cast<std::uint32_t>(std::popcount(line.writers));
        row.sharing = sharing_of(line);
        row.first_touch_cpu = line.first_cpu.value_or(0);
        out.by_line.push_back(std::move(row));
    }

    const AccessTrace& trace_;
    const Topology& topology_;
    std::vector<std::uint64_t> between_sockets_;
    LineFold fold_;
    std::vector<LineNotes> lines_;
    CallCounter calls_;
    std::map<std::pair<std::uint16_t, std::size_t>, KindCounts> by_function_; // function, range
};

Movements sum_of(const std::vector<StructureTruth>& rows, bool (*wanted)(std::string_view)) {
    Movements out;
    for (const StructureTruth& row : rows)
        if (wanted(row.name))
            out += row.moved;
    return out;
}

} // namespace

Movements& Movements::operator+=(const Movements& other) {
    for (std::size_t i = 0; i < accesses.size(); ++i)
        accesses[i] += other.accesses[i];
    for (std::size_t i = 0; i < distance_count; ++i) {
        fetches[i] += other.fetches[i];
        upgrades[i] += other.upgrades[i];
    }
    invalidated += other.invalidated;
    cross_socket_events += other.cross_socket_events;
    return *this;
}

const char* to_string(Sharing sharing) {
    constexpr std::array words{"one CPU", "read only", "one writer", "several writers"};
    return words.at(static_cast<std::size_t>(sharing));
}

bool makes_snapshot(std::string_view structure) {
    return structure != "PGPROC" && structure != "XidGenLock";
}

Movements PhaseTruth::snapshot_movements() const {
    return sum_of(by_structure, makes_snapshot);
}

Movements PhaseTruth::all_movements() const {
    return sum_of(by_structure, [](std::string_view) { return true; });
}

PhaseTruth analyse_phase(const RecordedPhase& phase, const Topology& topology) {
    PhaseTruth out;
    out.barrier_instructions = phase.trace.barrier_instructions;
    out.barriers = phase.barriers;
    out.timeouts = phase.timeouts;
    out.foreign = phase.foreign;
    out.snapshots = phase.snapshots;
    Analysis analysis(phase.trace, topology);
    analysis.run();
    analysis.report(out);
    return out;
}

} // namespace snapscope::emulator
