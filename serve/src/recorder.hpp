// "Record from here": windows of the ring, and those that follow, as a run on
// disk.  On the thread that watches the server.
#pragma once

#include "live_ring.hpp"

#include <snapscope/base/result.hpp>

#include <filesystem>
#include <string>

namespace snapscope {

class Recorder {
  public:
    // Begins a run in FOLDER with WINDOWS, which are of one session and at least one; BEFORE is the
    // one before them, null where the session began.
    [[nodiscard]] static Result<Recorder> start(const std::filesystem::path& folder, const WindowList& windows,
                                                const WindowPtr& before, const std::string& tool_version);
    // A window of the same session.
    [[nodiscard]] Status add(const WindowPtr& window);
    // The run becomes whole; WHY is a warning in it, empty for none.
    [[nodiscard]] Status finish(const std::string& why);

    [[nodiscard]] std::string name() const { return writer_.folder().filename().string(); }
    [[nodiscard]] std::size_t windows() const { return run_.windows.start_ns.size(); }
    [[nodiscard]] bool of(const LiveSession& session) const { return last_->session.get() == &session; }

  private:
    Recorder(RunFolderWriter writer, Run run, WindowPtr before, WindowPtr last)
        : writer_(std::move(writer)), run_(std::move(run)), before_(std::move(before)), last_(std::move(last)) {}

    RunFolderWriter writer_;
    Run run_;
    WindowPtr before_, last_;
};

} // namespace snapscope
