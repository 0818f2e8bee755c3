// A standby of a cluster with feedback, which takes over in the middle of a run.
//
// A commit is replied, and seen by others, only once the standby has applied it;
// so what anybody was told or has read is seen there at once, is there after the
// promotion, and every check goes on.
#pragma once

#include "world.hpp"

#include <snapscope/lab/cluster.hpp>

namespace snapscope::torture {

// What the primary and the standby are started with, beside the other settings.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> primary_settings();

class Standby {
  public:
    // A base backup of `primary`, started and following it.
    [[nodiscard]] static Result<Standby> start(const Cluster& primary, const std::filesystem::path& prefix);

    [[nodiscard]] std::string conninfo() const;
    [[nodiscard]] std::filesystem::path log_file() const { return folder_.path() / "log"; }
    void stop();

  private:
    Standby(ScratchFolder folder, Process postmaster)
        : folder_(std::move(folder)), postmaster_(std::move(postmaster)) {}

    ScratchFolder folder_;
    Process postmaster_;
};

// Reads what must be right on a standby, at any time, until the run ends; its
// transactions on lists.
[[nodiscard]] History read_standby(World& world, const std::string& conninfo, int number);

// Half the run later: prepares transactions on the primary, kills it under load,
// promotes the standby, sends the clients there and ends what was prepared.
void promote_in_the_middle(World& world, pid_t primary, const std::string& standby);

} // namespace snapscope::torture
