#include "placement.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <random>

namespace snapscope {
namespace {

// First threads of all cores before second ones; within, as LESS says.
template <typename Key> std::vector<std::uint16_t> ordered(const Topology& topology, Key key) {
    std::vector<std::uint16_t> out;
    std::map<std::uint32_t, std::uint32_t> threads; // seen, by core
    std::vector<std::uint32_t> thread_of;
    for (std::size_t i = 0; i < topology.cpus.size(); ++i) {
        out.push_back(static_cast<std::uint16_t>(i));
        thread_of.push_back(threads[topology.cpus[i].core]++);
    }
    std::ranges::stable_sort(out, {}, [&](std::uint16_t i) { return key(topology.cpus[i], thread_of[i]); });
    return out;
}

// How many cores of the same socket stand before a core.
std::vector<std::uint32_t> place_in_socket(const Topology& topology) {
    std::vector<std::uint32_t> place(topology.cores, std::numeric_limits<std::uint32_t>::max());
    std::vector<std::uint32_t> next(topology.sockets);
    for (const Topology::Place& cpu : topology.cpus)
        if (place[cpu.core] == std::numeric_limits<std::uint32_t>::max())
            place[cpu.core] = next[cpu.socket]++;
    return place;
}

std::vector<std::uint16_t> order_of(const Topology& topology, CpuPolicy policy) {
    const auto in_socket = place_in_socket(topology);
    if (policy == CpuPolicy::round_robin)
        return ordered(topology, [&](const Topology::Place& cpu, std::uint32_t thread) {
            return std::tuple(thread, in_socket[cpu.core], cpu.socket);
        });
    return ordered(topology, [](const Topology::Place& cpu, std::uint32_t thread) {
        return std::tuple(cpu.socket, cpu.llc, cpu.core, thread);
    });
}

} // namespace

CpuPlacement::CpuPlacement(const Topology& topology, CpuPolicy policy, std::vector<std::uint32_t> active)
    : topology_(topology), policy_(policy), order_(order_of(topology, policy)), known_(active.size()) {
    for (std::size_t i = 0; i < topology.cpus.size(); ++i)
        index_of_[topology.cpus[i].cpu] = static_cast<std::uint16_t>(i);
    std::ranges::sort(active);
    for (const std::uint32_t slot : active)
        ranks_.try_emplace(slot, ranks_.size());
}

Result<std::uint16_t> CpuPlacement::by_number(std::uint32_t cpu) const {
    const auto at = index_of_.find(cpu);
    if (at == index_of_.end())
        return fail(fmt::format("the events name CPU {}, which {} does not have", cpu, topology_.name),
                    "place the backends with --cpus round-robin or packed");
    return at->second;
}

std::size_t CpuPlacement::rank(std::uint32_t slot) {
    return ranks_.try_emplace(slot, ranks_.size()).first->second;
}

Result<std::uint16_t> CpuPlacement::place(std::uint32_t slot, std::uint16_t recorded) {
    switch (policy_) {
    case CpuPolicy::recorded:
        return by_number(recorded);
    case CpuPolicy::residency: {
        const auto at = residency_.find(slot);
        without_residency_ += at == residency_.end() ? 1U : 0U;
        return by_number(at == residency_.end() ? recorded : at->second);
    }
    case CpuPolicy::round_robin:
        return order_[rank(slot) % order_.size()];
    case CpuPolicy::packed: {
        // Neighbours in the array on neighbouring cores: as many to each CPU.
        const std::size_t place = rank(slot);
        const std::size_t total = std::max(known_, order_.size());
        return order_[place < total ? place * order_.size() / total : place % order_.size()];
    }
    }
    return fail("unknown placement");
}

SlotPlacement::SlotPlacement(const ProcArrays& arrays, SlotPolicy policy, std::uint64_t seed)
    : policy_(policy), clients_(arrays.max_connections) {
    if (policy == SlotPolicy::recorded)
        return;
    // As after a start: the highest first.
    for (std::uint32_t slot = clients_; slot-- > 0;)
        order_.push_back(slot);
    if (policy == SlotPolicy::scattered) {
        std::mt19937_64 random(seed);
        for (std::size_t i = order_.size(); i > 1; --i)
            std::swap(order_[i - 1], order_[random() % i]);
    } else if (policy == SlotPolicy::spread) {
        // As snapshot_slot_spread hands them out: those with lines to themselves first.
        const auto first = [&](std::uint32_t slot) {
            return (arrays.pgxact_address + slot * arrays.pgxact_stride) / line_bytes;
        };
        const auto last = [&](std::uint32_t slot) {
            return (arrays.pgxact_address + (slot + std::uint64_t{1}) * arrays.pgxact_stride - 1) / line_bytes;
        };
        std::vector<bool> apart(clients_);
        std::uint64_t next_line = 0;
        for (std::uint32_t slot = 0; slot < clients_; ++slot)
            if (first(slot) >= next_line && last(slot) < first(clients_)) {
                apart[slot] = true;
                next_line = last(slot) + 1;
            }
        std::ranges::stable_partition(order_, [&](std::uint32_t slot) { return apart[slot]; });
    }
}

std::uint32_t SlotPlacement::place(std::uint32_t slot) {
    if (policy_ == SlotPolicy::recorded || slot >= clients_)
        return slot;
    return given_.try_emplace(slot, order_[given_.size() % order_.size()]).first->second;
}

} // namespace snapscope
