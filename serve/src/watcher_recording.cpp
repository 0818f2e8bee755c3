// "Record from here": what a reader wishes, and what the watching thread does.
#include "live_run.hpp"
#include "watcher.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace snapscope {
namespace {

constexpr std::size_t most_recorded = 20; // that are still told of

} // namespace

Status Watcher::start_recording(std::uint64_t seq) {
    if (!options_.record_to)
        return fail("recording is not allowed here", "start serve with --record-to FOLDER");
    const std::lock_guard guard(lock_);
    if (now_.recording || wish_to_record_)
        return fail("a recording goes on already", "stop it first");
    wish_to_record_ = seq;
    return {};
}

Status Watcher::stop_recording() {
    const std::lock_guard guard(lock_);
    if (!now_.recording)
        return fail("no recording goes on");
    wish_to_stop_ = true;
    return {};
}

void Watcher::act_on_wishes() {
    std::optional<std::uint64_t> from;
    bool end = false;
    {
        const std::lock_guard guard(lock_);
        from = std::exchange(wish_to_record_, std::nullopt);
        end = std::exchange(wish_to_stop_, false);
    }
    if (from)
        begin_recording(*from);
    if (end)
        end_recording("");
}

void Watcher::begin_recording(std::uint64_t seq) {
    const WindowList windows = look().windows;
    const auto say = [&](const std::string& what) { change([&] { now_.recorded.push_back(what); }); };
    const auto at =
        std::find_if(first_shown(windows), windows.end(), [&](const WindowPtr& window) { return window->seq == seq; });
    if (at == windows.end() || !live_ || (*at)->session != live_)
        return say("not recorded: that moment is no longer kept, or of a server that has ended since");
    auto recorder = Recorder::start(*options_.record_to, {at, windows.end()}, window_before(at), options_.tool_version);
    if (!recorder)
        return say("not recorded: " + recorder.error().message());
    recorder_.emplace(std::move(*recorder));
    change([&] { now_.recording = RecordingState{recorder_->name(), recorder_->windows(), ""}; });
}

void Watcher::record(const WindowPtr& window) {
    if (!recorder_)
        return;
    const auto added = recorder_->add(window);
    change([&] {
        now_.recording->windows = recorder_->windows();
        if (!added)
            now_.recording->trouble = added.error().message();
    });
}

void Watcher::end_recording(const std::string& why) {
    if (!recorder_)
        return;
    const auto finished = recorder_->finish(why);
    const std::string what = finished ? fmt::format("recorded {}: {} windows", recorder_->name(), recorder_->windows())
                                      : "not finished: " + finished.error().message();
    recorder_.reset();
    options_.note(what);
    change([&] {
        now_.recording.reset();
        now_.recorded.push_back(what);
        if (now_.recorded.size() > most_recorded)
            now_.recorded.erase(now_.recorded.begin());
    });
}

} // namespace snapscope
