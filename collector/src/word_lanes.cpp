#include "word_lanes.hpp"

#include <algorithm>

namespace snapscope {
namespace {

void add(const CpuAccesses& now, const CpuAccesses& before, WordLanes::Taken& taken,
         std::map<std::uint32_t, CpuAccesses>& by_cpu) {
    CpuAccesses& sum = by_cpu[now.cpu];
    sum.cpu = now.cpu;
    sum.reads += now.reads - before.reads;
    sum.writes += now.writes - before.writes;
    sum.watched_ns += now.watched_ns - before.watched_ns;
    taken.hits += now.reads + now.writes - before.reads - before.writes;
    taken.watched_ns += now.watched_ns - before.watched_ns;
    taken.cut += now.cut ? 1U : 0U;
}

} // namespace

bool WordLanes::has(const WatchedWord& word) const {
    return std::ranges::find(lanes_, word, &Lane::word) != lanes_.end();
}

Result<bool> WordLanes::add(const WatchedWord& word) {
    const auto address = address_of(words_, postmaster_, word);
    if (!address)
        return false;
    auto watch = WordWatch::on_every_cpu(*address, limit_);
    if (!watch)
        return fail(watch.error());
    lanes_.push_back({word, *address, std::move(*watch), {}});
    return true;
}

void WordLanes::go_on() {
    for (auto& lane : lanes_)
        lane.watch.go_on();
}

void WordLanes::stop() {
    for (auto& lane : lanes_)
        lane.watch.stop();
}

WordLanes::Taken WordLanes::take(WordSums& sums) {
    Taken taken;
    std::vector<Lane> kept;
    for (auto& lane : lanes_) {
        // Connections that come and go move entries of the dense array.
        if (address_of(words_, postmaster_, lane.word) != lane.address) {
            ++taken.moved;
            continue;
        }
        auto rows = lane.watch.read();
        for (const auto& row : rows) {
            const auto before = std::ranges::find(lane.taken, row.cpu, &CpuAccesses::cpu);
            snapscope::add(row, before == lane.taken.end() ? CpuAccesses{} : *before, taken, sums[lane.word]);
        }
        lane.taken = std::move(rows);
        kept.push_back(std::move(lane));
    }
    lanes_ = std::move(kept);
    return taken;
}

} // namespace snapscope
