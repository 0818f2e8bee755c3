#include <snapscope/base/files.hpp>
#include <snapscope/lab/process.hpp>
#include <snapscope/recording/run_folder.hpp>
#include <snapscope/recording/wall_clock.hpp>
#include <snapscope/sweep/sweep_run.hpp>

#include <algorithm>
#include <ctime>

namespace snapscope {
namespace {

namespace fs = std::filesystem;

std::string now_as_text() {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    return format_wall_time(std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec);
}

Result<SweepFile> resume(const SweepOptions& options, const SweepFile& wanted) {
    auto there = read_sweep_file(options.folder);
    if (!there)
        return fail(there.error());
    if (!same_plan(*there, wanted) || there->load != wanted.load)
        return fail(options.folder.string() + " was planned otherwise",
                    "resume with the options, the seed and the load that it was begun with", ErrorClass::usage);
    if (options.retry_failed)
        for (auto& point : there->points)
            if (point.state == PointState::failed) {
                point.state = PointState::planned;
                point.reason.clear();
            }
    return there;
}

} // namespace

Result<SweepFile> open_sweep(const SweepOptions& options) {
    if (options.folder.filename().string().size() <= 6 || options.folder.extension() != ".sweep")
        return fail(options.folder.string() + " is no name of a sweep", "give -o NAME.sweep", ErrorClass::usage);
    SweepFile sweep;
    sweep.tool_version = options.tool_version;
    sweep.x = options.spec.x;
    sweep.seed = options.spec.seed;
    sweep.load = command_line(options.load);
    sweep.points = plan_points(options.spec);
    for (const auto& point : sweep.points)
        if (const auto idle = idle_of(options.load, sweep.x, point); !idle)
            return fail(idle.error());
    if (options.resume)
        return resume(options, sweep);
    std::error_code error;
    if (fs::exists(fs::symlink_status(options.folder, error)))
        return fail(options.folder.string() + " is there already", "go on with --resume, or choose another name");
    auto id = make_run_id();
    if (!id)
        return fail(id.error());
    sweep.id = std::move(*id);
    sweep.wall_start = now_as_text();
    SNAPSCOPE_TRY(create_private_folder(options.folder));
    SNAPSCOPE_TRY(write_sweep_file(options.folder, sweep));
    return sweep;
}

} // namespace snapscope
