// What the collector reads of procfs, as values.  The root is a parameter, so
// that tests run against a tree of their own.
#pragma once

#include <snapscope/base/result.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace snapscope {

struct ProcessStat {
    std::string name; // comm, at most 15 bytes
    char state = '?';
    pid_t parent = 0;
    std::uint64_t user_ticks = 0, system_ticks = 0; // of the process with all its threads
    std::uint64_t start_ticks = 0;                  // with the pid, identifies a process
    int cpu = -1;                                   // last run on
};

// The text of /proc/PID/stat; the name may hold any bytes, also ") ".
[[nodiscard]] Result<ProcessStat> parse_process_stat(std::string_view text);

class ProcFs {
  public:
    explicit ProcFs(std::filesystem::path root = "/proc") : root_(std::move(root)) {}

    [[nodiscard]] std::vector<pid_t> pids() const;
    [[nodiscard]] std::filesystem::path path(pid_t pid, std::string_view name) const;
    [[nodiscard]] Result<ProcessStat> stat(pid_t pid) const;
    // Target of the link NAME (exe, cwd, fd/7), as the kernel prints it.
    [[nodiscard]] std::optional<std::string> link(pid_t pid, std::string_view name) const;
    [[nodiscard]] std::vector<std::string> cmdline(pid_t pid) const;
    // The pid in the process's own (innermost) pid namespace.
    [[nodiscard]] std::optional<pid_t> namespace_pid(pid_t pid) const;
    [[nodiscard]] std::vector<int> descriptors(pid_t pid) const;
    [[nodiscard]] std::vector<pid_t> children_of(pid_t parent) const;
    // The same by the kernel's own list, oldest first, without a look at every
    // process of the host: a child that ends meanwhile may hide another.
    [[nodiscard]] std::vector<pid_t> listed_children(pid_t parent) const;

  private:
    std::filesystem::path root_;
};

// A whole small file (procfs has no sizes); nullopt when it cannot be read.
[[nodiscard]] std::optional<std::string> read_text(const std::filesystem::path& file, std::size_t limit = 1U << 20);

// "always within_size [never] deny": the word in brackets.
[[nodiscard]] std::optional<std::string> chosen_word(std::string_view text);

} // namespace snapscope
