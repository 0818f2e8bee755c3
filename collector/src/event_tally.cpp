#include <snapscope/collector/event_tally.hpp>

#include <algorithm>

namespace snapscope {

const char* outcome_label(std::size_t outcome) {
    constexpr std::array<const char*, outcome_count> labels{"", "reused", "rebuilt", "private_scan"};
    return outcome < labels.size() ? labels[outcome] : "";
}

std::vector<Histogram> duration_histograms(const std::array<LogHistogram, outcome_count>& by_outcome,
                                           const char* source) {
    std::vector<Histogram> histograms;
    LogHistogram all;
    for (std::size_t outcome = SNAPSCOPE_OUTCOME_REUSED; outcome < outcome_count; ++outcome) {
        all += by_outcome[outcome];
        if (by_outcome[outcome].count() != 0)
            histograms.push_back(
                by_outcome[outcome].to_histogram("snapshot_duration", source, "ns", outcome_label(outcome)));
    }
    if (all.count() != 0)
        histograms.push_back(all.to_histogram("snapshot_duration", source, "ns", ""));
    return histograms;
}

void EventTally::add(std::uint32_t slot, const snapscope_record& record, std::int64_t time_ns) {
    ++events_;
    ++types_[record.type];
    switch (record.type) {
    case SNAPSCOPE_EV_SNAPSHOT_START:
        started_[slot] = time_ns;
        break;
    case SNAPSCOPE_EV_SNAPSHOT_DONE: {
        const std::size_t outcome = record.outcome < outcome_count ? record.outcome : std::size_t{0};
        ++outcomes_[outcome];
        if (started_[slot])
            durations_[outcome].add(static_cast<std::uint64_t>(std::max<std::int64_t>(0, time_ns - *started_[slot])));
        started_[slot].reset();
        break;
    }
    case SNAPSCOPE_EV_SLOT_TAKEN:
    case SNAPSCOPE_EV_SLOT_RELEASED:
    case SNAPSCOPE_EV_RING_ON:
        started_[slot].reset();
        break;
    default:
        break;
    }
}

} // namespace snapscope
