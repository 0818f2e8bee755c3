// Watches a server's processes for the first one that crashes: it ends, and
// still stands in the proc array, since nobody is left to take it out.
//
// An exit is known by a descriptor of the process (pidfd) within the time that
// the kernel needs to wake a thread; the postmaster then first ends all others.
// One that ended before it could be watched is known by being listed still.
#pragma once

#include "server_image.hpp"

#include <snapscope/base/unique_fd.hpp>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <thread>

namespace snapscope::mirror {

class CrashGuard {
  public:
    // SEGMENT is the mapping itself: it keeps saying who stood in the proc array
    // after the server has begun a new one.  ON_CRASH is called once at most, in
    // the guard's own thread.
    CrashGuard(const ServerImage& image, const Anatomy& anatomy, const Memory& segment,
               std::function<void(const std::string&)> on_crash);
    CrashGuard(const CrashGuard&) = delete;
    CrashGuard& operator=(const CrashGuard&) = delete;
    CrashGuard(CrashGuard&&) = delete;
    CrashGuard& operator=(CrashGuard&&) = delete;
    ~CrashGuard();

  private:
    void run();
    [[nodiscard]] Result<std::set<pid_t>> listed() const;
    // False when one of PIDS was not there at two looks.
    bool watch(const std::set<pid_t>& pids);
    void add(int fd, std::uint64_t key) const;

    const ServerImage& image_;
    const Anatomy anatomy_;
    const Memory& segment_;
    std::function<void(const std::string&)> on_crash_;
    UniqueFd epoll_, wake_, postmaster_;
    std::map<pid_t, UniqueFd> watched_; // by the pid in the server's namespace
    std::set<pid_t> gone_;              // listed at the last look, and not there
    std::thread thread_;
};

} // namespace snapscope::mirror
