#include "pcm_spread.hpp"

#include <algorithm>

namespace snapscope {
namespace {

// Clocks and stamps of a millisecond: so much of a window may lack a row.
constexpr double enough_covered = 0.98;

} // namespace

std::vector<std::optional<double>> spread(const std::vector<PcmSpan>& spans, std::size_t column,
                                          const std::string& unit, const std::vector<std::int64_t>& starts,
                                          const std::vector<std::int64_t>& ends) {
    const bool adds_up = unit != "ratio" && unit != "ns";
    std::vector<std::optional<double>> out(starts.size());
    std::size_t first = 0; // the first span that ends after the window's start
    for (std::size_t window = 0; window < starts.size(); ++window) {
        while (first < spans.size() && spans[first].end_ns <= starts[window])
            ++first;
        double sum = 0;
        std::int64_t covered = 0;
        for (std::size_t i = first; i < spans.size() && spans[i].start_ns < ends[window]; ++i) {
            const PcmSpan& span = spans[i];
            const auto& value = span.values[column];
            const std::int64_t shared = std::min(span.end_ns, ends[window]) - std::max(span.start_ns, starts[window]);
            if (!value || shared <= 0)
                continue;
            const double part = static_cast<double>(shared);
            sum += *value * part / (adds_up ? static_cast<double>(span.end_ns - span.start_ns) : 1.0);
            covered += shared;
        }
        const auto length = static_cast<double>(ends[window] - starts[window]);
        if (covered <= 0 || static_cast<double>(covered) < enough_covered * length)
            continue;
        out[window] = adds_up ? sum * length / static_cast<double>(covered) : sum / static_cast<double>(covered);
    }
    return out;
}

} // namespace snapscope
