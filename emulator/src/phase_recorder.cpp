#include "../shared/stream.h"

#include <snapscope/emulator/phase_recorder.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace snapscope::emulator {
namespace {

constexpr std::size_t cpus = 64;
constexpr std::uint64_t looks = 1; // connections of pgbench before its clients

std::string last_part(const std::string& path) {
    return path.substr(path.rfind('/') + 1);
}

} // namespace

PhaseRecorder::PhaseRecorder(const ServerMap& server, const ServerInGuest& guest, std::uint64_t clients)
    : server_(server), guest_(guest), clients_(clients), snapshot_of_cpu_(cpus), nested_(cpus) {}

void PhaseRecorder::start(std::uint64_t number) {
    phase_ = {};
    phase_.number = number;
    phase_.trace.ranges = guest_.ranges;
    phase_.trace.marks = {"GetSnapshotData", "ProcArrayAdd", "ProcArrayRemove"};
    lines_.clear();
    functions_.clear();
    last_touch_.clear();
    added_ = removed_ = 0;
    window_begin_.reset();
    window_end_.reset();
    snapshots_ = snapshots_at_begin_ = snapshots_at_end_ = 0;
    moment_ = 0;
}

std::uint32_t PhaseRecorder::line_index(std::uint64_t address) {
    const std::uint64_t line = address / SNAPSCOPE_GUEST_LINE;
    const auto [found, fresh] = lines_.try_emplace(line, static_cast<std::uint32_t>(phase_.trace.lines.size()));
    if (fresh) {
        phase_.trace.lines.push_back(line * SNAPSCOPE_GUEST_LINE);
        last_touch_.emplace_back();
    }
    return found->second;
}

std::string PhaseRecorder::function_name(std::uint64_t pc) const {
    const auto text =
        std::ranges::find_if(guest_.texts, [pc](const MappedText& each) { return each.from <= pc && pc < each.to; });
    if (text == guest_.texts.end())
        return "?";
    if (text->file != server_.binary)
        return last_part(text->file);
    const std::string name = server_.function_at(pc);
    return name.empty() ? last_part(text->file) : name;
}

std::uint16_t PhaseRecorder::function_index(std::uint64_t pc) {
    const auto known = functions_.find(pc);
    if (known != functions_.end())
        return known->second;
    auto& names = phase_.trace.functions;
    const std::string name = function_name(pc);
    auto at = std::ranges::find(names, name);
    if (at == names.end()) {
        names.push_back(name);
        at = std::prev(names.end());
    }
    const auto index = static_cast<std::uint16_t>(at - names.begin());
    functions_.emplace(pc, index);
    return index;
}

// Entries on both sides of the window's ends stay apart.
void PhaseRecorder::part() {
    for (LastTouch& last : last_touch_)
        last.any = false;
}

// pgbench looks at the tables first, on a connection of its own, whose end may
// come late.  The window: from the moment when that has gone and all clients
// have come, until the first of them leaves.
void PhaseRecorder::take_mark(const snapscope_stream_record& record) {
    auto& entries = phase_.trace.accesses;
    if (record.detail >= static_cast<std::uint8_t>(Mark::nested)) {
        nested_[record.vcpu] = true;
        return;
    }
    const auto mark = static_cast<Mark>(record.detail);
    if (mark == Mark::snapshot && nested_[record.vcpu]) {
        nested_[record.vcpu] = false;
        return;
    }
    if (mark == Mark::proc_removed && ++removed_ == looks + 1 && window_begin_) {
        window_end_ = entries.size();
        snapshots_at_end_ = snapshots_;
        part();
    }
    if (mark == Mark::snapshot) {
        ++snapshots_;
        ++snapshot_of_cpu_[record.vcpu];
    }
    added_ += mark == Mark::proc_added ? 1U : 0U;
    entries.push_back({record.detail, 1, function_index(record.pc), record.vcpu, TracedKind::mark});
    if (!window_begin_ && added_ == clients_ + looks && removed_ == looks) {
        window_begin_ = entries.size();
        snapshots_at_begin_ = snapshots_;
        part();
    }
}

void PhaseRecorder::take_access(const snapscope_stream_record& record) {
    ++moment_;
    auto& entries = phase_.trace.accesses;
    TracedAccess access;
    access.target = line_index(record.address);
    access.function = function_index(record.pc);
    access.cpu = record.vcpu;
    access.kind = static_cast<TracedKind>(record.kind - SNAPSCOPE_STREAM_READ);
    LastTouch& last = last_touch_[access.target];
    const std::uint32_t snapshot = snapshot_of_cpu_[record.vcpu];
    if (last.any && last.snapshot == snapshot) {
        TracedAccess& before = entries[last.entry];
        if (before.cpu == access.cpu && before.kind == access.kind && before.function == access.function) {
            ++before.count;
            return;
        }
    }
    last = {entries.size(), snapshot, true};
    entries.push_back(access);
}

Status PhaseRecorder::take(const snapscope_stream_record& record) {
    if (record.vcpu >= cpus)
        return fail(fmt::format("the plug-in's stream names the CPU {}", record.vcpu));
    if (record.kind == SNAPSCOPE_STREAM_MARK && record.detail < server_.mark_addresses.size())
        take_mark(record);
    else if (record.kind >= SNAPSCOPE_STREAM_READ && record.kind <= SNAPSCOPE_STREAM_LOCKED)
        take_access(record);
    else if (record.kind == SNAPSCOPE_STREAM_STAMP)
        phase_.clock_readings.push_back({record.vcpu, record.address, moment_});
    else
        return fail(fmt::format("the plug-in's stream holds a record of kind {}", record.kind));
    return {};
}

RecordedPhase PhaseRecorder::finish() {
    AccessTrace& trace = phase_.trace;
    trace.window_begin = window_begin_.value_or(trace.accesses.size());
    trace.window_end = window_end_.value_or(trace.accesses.size());
    phase_.snapshots =
        (window_end_ ? snapshots_at_end_ : snapshots_) - (window_begin_ ? snapshots_at_begin_ : snapshots_);
    return std::move(phase_);
}

} // namespace snapscope::emulator
