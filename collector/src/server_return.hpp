// Finds the server of a recording again after it went away, and says what has
// happened to it meanwhile.
#pragma once

#include "attach.hpp"
#include "server_watch.hpp"

#include <optional>
#include <string>

namespace snapscope {

// Which program a server runs.
struct ServerBinary {
    std::optional<std::string> build_id;
    std::string version; // as its text says; empty when unreadable
    std::optional<struct stat> file;

    [[nodiscard]] static ServerBinary of(const ProcFs& proc, pid_t postmaster);
    // Neither build id nor version says otherwise; without them, the file.
    [[nodiscard]] bool same_as(const ServerBinary& other) const;
};

class ServerReturn {
  public:
    // Of the server at SITE, which runs and is watched by WATCH.
    ServerReturn(const Site& site, const ServerWatch& watch);

    // The postmaster that runs on the same data, whether or not it takes sessions.
    [[nodiscard]] std::optional<Postmaster> find() const;
    // Takes sessions: neither starts up, recovers nor shuts down.
    [[nodiscard]] bool ready(const Postmaster& postmaster) const;
    // What has happened, by the server that is at SITE now; without times.
    [[nodiscard]] Gap describe(const Site& site) const;

  private:
    [[nodiscard]] bool same_data(const Postmaster& postmaster) const;

    ProcFs proc_;
    Postmaster postmaster_;
    std::optional<struct stat> folder_;
    ServerBinary binary_;
    bool had_checkpointer_ = false, had_startup_ = false; // a standby goes on recovering
};

} // namespace snapscope
