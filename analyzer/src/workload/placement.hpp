// Which CPU a backend runs on, and which entry of the array it has: as
// recorded, or otherwise.
#pragma once

#include <snapscope/analyzer/proc_arrays.hpp>
#include <snapscope/analyzer/simulate.hpp>
#include <snapscope/analyzer/topology.hpp>

#include <unordered_map>
#include <vector>

namespace snapscope {

// CPUs, by index of the topology.
class CpuPlacement {
  public:
    // ACTIVE: the slots that do something, in any order; their rank in ascending
    // order decides where the policy is not a recorded one.  Slots that come
    // later take the ranks behind.
    CpuPlacement(const Topology& topology, CpuPolicy policy, std::vector<std::uint32_t> active);
    // For CpuPolicy::residency: the CPU (the system's number) that SLOT ran on longest.
    void set_residency(std::uint32_t slot, std::uint32_t cpu) { residency_[slot] = cpu; }

    // RECORDED: the system's number of the CPU, as the event says.  Fails where
    // the topology has no such CPU.
    [[nodiscard]] Result<std::uint16_t> place(std::uint32_t slot, std::uint16_t recorded);
    // Events whose backend had no residency: taken from the event.
    [[nodiscard]] std::uint64_t without_residency() const { return without_residency_; }

  private:
    [[nodiscard]] Result<std::uint16_t> by_number(std::uint32_t cpu) const;
    [[nodiscard]] std::size_t rank(std::uint32_t slot);

    const Topology& topology_;
    CpuPolicy policy_;
    std::unordered_map<std::uint32_t, std::uint16_t> index_of_; // by the system's number
    std::vector<std::uint16_t> order_;                          // CPUs in the order of the policy
    std::unordered_map<std::uint32_t, std::size_t> ranks_;
    std::size_t known_ = 0; // ranks given at the start
    std::unordered_map<std::uint32_t, std::uint32_t> residency_;
    std::uint64_t without_residency_ = 0;
};

// Entries of the array.
class SlotPlacement {
  public:
    SlotPlacement(const ProcArrays& arrays, SlotPolicy policy, std::uint64_t seed);

    // The entry for a recorded slot: always the same one, and no other slot's.
    // Entries of other processes than client backends stay.
    [[nodiscard]] std::uint32_t place(std::uint32_t slot);

  private:
    SlotPolicy policy_;
    std::uint32_t clients_;
    std::vector<std::uint32_t> order_; // entries, in which they are handed out
    std::unordered_map<std::uint32_t, std::uint32_t> given_;
};

} // namespace snapscope
