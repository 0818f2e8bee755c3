// Which evidence this host and a server can give.  Every answer comes from
// trying, and nothing is changed on the server.  Used by the verb `doctor`.
#pragma once

#include <snapscope/base/result.hpp>
#include <snapscope/collector/kernel_limits.hpp>
#include <snapscope/collector/target.hpp>
#include <snapscope/recording/run.hpp>

#include <optional>
#include <vector>

namespace snapscope {

struct Diagnosis {
    std::optional<Postmaster> target;  // none: no server runs, and none was asked for
    Server server;                     // of the target
    std::vector<SourceStatus> sources; // ring, mirror, ebpf, sched, sql, hitm, pcm, watch, linetimer
    std::vector<KernelLimit> limits;   // all that are looked at
};

[[nodiscard]] Result<Diagnosis> diagnose(const TargetSpec& spec);

} // namespace snapscope
