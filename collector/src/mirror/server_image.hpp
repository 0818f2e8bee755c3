// One running server as the mirror sees it: its binary and address space by
// procfs, its layout, and, checked, where its proc array lies.
#pragma once

#include "anatomy.hpp"
#include "remote_memory.hpp"

#include <snapscope/collector/procfs.hpp>

#include <map>
#include <optional>
#include <string>

namespace snapscope::mirror {

// Where the offsets come from; either way the checks have to confirm them.
enum class LayoutOrigin { table, debug_information };

class PidTranslation {
  public:
    PidTranslation() = default; // one namespace: nothing to translate
    explicit PidTranslation(std::map<pid_t, pid_t> host_pids) : host_pids_(std::move(host_pids)) {}
    [[nodiscard]] std::optional<pid_t> operator()(pid_t pid) const;

  private:
    std::optional<std::map<pid_t, pid_t>> host_pids_;
};

class ServerImage {
  public:
    // Reads the binary through the exe link, so that one that was replaced or
    // removed meanwhile, or lies in another mount namespace, is the one that runs.
    static Result<ServerImage> open(const ProcFs& proc, pid_t postmaster);

    // Finds the segment and runs every check; anew after each restart of the
    // server's backends.  `locate` changes nothing here.
    [[nodiscard]] Result<Anatomy> locate() const;

    // The mapping of shared memory that the postmaster has now; its inode changes with a crash restart.
    [[nodiscard]] Result<Mapped> segment() const;

    // Of a variable in the address space of each of its processes; nullopt: the binary has none such.
    [[nodiscard]] std::optional<Address> address_of(const std::string& variable) const;

    [[nodiscard]] const RemoteMemory& memory() const { return memory_; }
    [[nodiscard]] const std::string& version() const { return version_; }
    [[nodiscard]] LayoutOrigin layout_origin() const { return origin_; }
    [[nodiscard]] pid_t pid() const { return pid_; }
    [[nodiscard]] const ProcFs& proc() const { return proc_; }

    // From pids in the server's own pid namespace to pids here, as of now.
    [[nodiscard]] PidTranslation pid_translation() const;

  private:
    ServerImage(const ProcFs& proc, pid_t postmaster) : proc_(proc), memory_(postmaster), pid_(postmaster) {}
    Status find_variables();
    [[nodiscard]] Result<std::vector<Mapped>> maps() const;
    [[nodiscard]] std::vector<pid_t> children() const;

    ProcFs proc_;
    RemoteMemory memory_;
    pid_t pid_ = 0;
    pid_t own_pid_ = 0; // in its own namespace
    std::string version_;
    Layout layout_;
    LayoutOrigin origin_ = LayoutOrigin::table;
    Variables variables_;
    Address shift_ = 0; // from where it was linked to, modulo 2^64
};

} // namespace snapscope::mirror
