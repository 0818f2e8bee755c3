// An LTTng session of this benchmark's own: a session daemon under an ordinary
// account, in a folder of its own, gone with its owner.
#pragma once

#include <snapscope/lab/process.hpp>
#include <snapscope/lab/scratch_folder.hpp>

#include <memory>
#include <optional>
#include <string>

namespace snapscope::bench {

class LttngSession {
  public:
    // nullptr, and why in `absent`, where LTTng is not here.
    static std::unique_ptr<LttngSession> start(std::string& absent);
    LttngSession(const LttngSession&) = delete;
    LttngSession& operator=(const LttngSession&) = delete;
    LttngSession(LttngSession&&) = delete;
    LttngSession& operator=(LttngSession&&) = delete;
    ~LttngSession();

    // ns an event, of a process that emits so many.
    [[nodiscard]] double emit(std::uint64_t events);
    // Ends the session; the events that its trace holds.
    [[nodiscard]] std::uint64_t stored();

  private:
    explicit LttngSession(ScratchFolder folder) : folder_(std::move(folder)) {}
    // A program under the session's account; its output.  Ends the benchmark when it fails.
    std::string run(std::vector<std::string> argv);
    [[nodiscard]] Command command(std::vector<std::string> argv) const;

    ScratchFolder folder_;
    std::optional<Account> account_;
    std::optional<Process> daemon_;
    bool open_ = false;
};

} // namespace snapscope::bench
