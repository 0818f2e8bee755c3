#include "record_usage.hpp"
#include "recording.hpp"

#include <ctime>
#include <fmt/format.h>

namespace snapscope {

std::string default_run_name() {
    const std::time_t now = std::time(nullptr);
    std::tm local{};
    ::localtime_r(&now, &local);
    return fmt::format("snapscope-{:04}{:02}{:02}-{:02}{:02}{:02}.snap", local.tm_year + 1900, local.tm_mon + 1,
                       local.tm_mday, local.tm_hour, local.tm_min, local.tm_sec);
}

Status check_record(const RecordOptions& options) {
    return check_usage(options);
}

Result<RecordOutcome> record(const RecordOptions& options, const std::atomic<bool>& stop,
                             const std::function<void(const RecordProgress&)>& progress) {
    SNAPSCOPE_TRY(check_usage(options));
    const ProcFs proc;
    const auto postmaster = find_target(proc, options.target);
    if (!postmaster)
        return fail(postmaster.error());
    SNAPSCOPE_TRY(RunFolderWriter::check(options.output, options.force));
    auto stretch = Stretch::open(options, proc, *postmaster);
    if (!stretch)
        return fail(stretch.error());
    return Recording(options, std::move(*stretch), stop).run(progress);
}

} // namespace snapscope
