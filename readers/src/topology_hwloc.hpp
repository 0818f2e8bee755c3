// hwloc's XML, read by hwloc.
#pragma once

#include <snapscope/readers/topology.hpp>

namespace snapscope {

[[nodiscard]] Result<MachineTopology> read_hwloc_xml(std::string_view text, const std::string& label);

} // namespace snapscope
