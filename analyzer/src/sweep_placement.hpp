// What a run says of where its hot memory lies and where its backends ran, as
// metrics to set against tps across a sweep.
#pragma once

#include <snapscope/recording/run.hpp>

#include <string>
#include <vector>

namespace snapscope {

struct PlacementMetric {
    std::string name, source;
    double value = 0;
};

// active_lines (lines)                   lines that the entries in use at the end lie on
// active_offset_mod_16mib (bytes)        of the lowest entry in use, in the segment: what placement in 2 MiB
//                                        pages or a hash of addresses would follow
// other_node_time_share (1)              of the backends' run time: on other nodes than the one that most pages
//                                        of the array lie on
// Those that the run cannot tell are left out.
[[nodiscard]] std::vector<PlacementMetric> placement_metrics(const Run& run);

} // namespace snapscope
