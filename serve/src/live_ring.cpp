#include "live_ring.hpp"

namespace snapscope {

std::size_t bytes_of(const LiveWindow& window) {
    std::size_t bytes = sizeof window + window.row.values.size() * sizeof(std::optional<double>);
    for (const Histogram& histogram : window.look.histograms)
        bytes += sizeof histogram + histogram.counts.size() * (sizeof(double) + sizeof(std::uint64_t));
    for (const Slot& slot : window.look.slots)
        bytes += sizeof slot + slot.residency.size() * sizeof(CpuShare) + slot.samples.size() * sizeof(SlotSamples);
    return bytes + window.sources.size() * sizeof(SourceStatus);
}

void LiveRing::push(WindowPtr window) {
    bytes_ += bytes_of(*window);
    windows_.push_back(std::move(window));
    const std::int64_t oldest_ns = windows_.back()->row.end_ns - limits_.keep_ns;
    while (windows_.size() > 2 &&
           (windows_.front()->row.end_ns <= oldest_ns || windows_.size() > limits_.windows || bytes_ > limits_.bytes)) {
        bytes_ -= bytes_of(*windows_.front());
        windows_.pop_front();
    }
}

} // namespace snapscope
