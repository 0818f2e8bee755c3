// Hosts whose snapshots cost more, or less, than their connections explain.
#pragma once

#include <snapscope/fleet/lake.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace snapscope {

// Over all hosts and metrics of a question together, the chance to name a host
// that fits is at most about this (Bonferroni; residuals as Student's t).
inline constexpr double outlier_alpha = 0.01;
// Fewer hosts do not say what is usual.
inline constexpr std::size_t least_hosts = 8;

struct Outlier {
    std::string host;
    double connections = 0, value = 0; // medians over its runs
    double expected = 0;               // of a host with so many connections
    double score = 0;                  // distance of the logarithms, in standard deviations of hosts
    std::size_t runs = 0;
};

// The hosts of one metric, source and mode, and the line through them:
// value = at_none + each * connections (Theil 1950, Sen 1968: half the hosts
// may be odd before it is).  The spread of hosts around it is the median
// absolute deviation of the logarithms times 1.4826.
struct OutlierGroup {
    std::string metric, source, mode;
    std::size_t hosts = 0;
    bool judged = false; // enough hosts
    double at_none = 0, each = 0, spread = 0;
    double limit = 0; // a score beyond it is an outlier's
    std::vector<Outlier> outliers;
};

[[nodiscard]] Result<std::vector<OutlierGroup>> outliers(LakeReader& lake);

} // namespace snapscope
