#include "recorder.hpp"

#include "live_run.hpp"

#include <snapscope/collector/record.hpp>
#include <snapscope/recording/windows.hpp>

#include <fmt/format.h>

namespace snapscope {
namespace {

// Several servers may be recorded from the same second on.
std::filesystem::path free_name(const std::filesystem::path& folder) {
    const std::filesystem::path name = default_run_name();
    auto path = folder / name;
    std::error_code ignored;
    for (int number = 2; number < 100 && std::filesystem::exists(path, ignored); ++number)
        path = folder / fmt::format("{}-{}.snap", name.stem().string(), number);
    return path;
}

} // namespace

Result<Recorder> Recorder::start(const std::filesystem::path& folder, const WindowList& windows,
                                 const WindowPtr& before, const std::string& tool_version) {
    Run run = run_of({windows.front()}, before);
    auto id = make_run_id();
    if (!id)
        return fail(id.error());
    run.id = std::move(*id);
    run.tool_version = tool_version;
    run.finished = false;
    // What stands in run.json until the end: no windows, these are in the journal.
    Run first = run;
    first.windows.start_ns.clear();
    first.windows.end_ns.clear();
    for (Series& series : first.windows.series)
        series.values.clear();
    first.totals.clear();
    first.histograms.clear();
    first.slots.clear();
    auto writer = RunFolderWriter::create(free_name(folder), first, false);
    if (!writer)
        return fail(writer.error());
    Recorder recorder(std::move(*writer), std::move(first), before, windows.front());
    for (const WindowPtr& window : windows)
        SNAPSCOPE_TRY(recorder.add(window));
    return recorder;
}

Status Recorder::add(const WindowPtr& window) {
    append_row(run_.windows, window->row);
    run_.clock.end_ns = window->row.end_ns;
    last_ = window;
    return writer_.append_window(window->row);
}

Status Recorder::finish(const std::string& why) {
    count_since(run_, before_, *last_);
    add_totals_of_windows(run_);
    if (!why.empty())
        run_.warnings.push_back(why);
    run_.finished = true;
    return writer_.finish(run_);
}

} // namespace snapscope
