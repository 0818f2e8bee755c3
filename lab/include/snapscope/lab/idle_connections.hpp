// Many connections that do nothing: the background against which a snapshot's
// cost is measured.  Raw start-up packets over the unix socket, so that they
// cost the machine a backend each and this program a descriptor each.
#pragma once

#include <snapscope/base/result.hpp>
#include <snapscope/base/unique_fd.hpp>

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace snapscope {

struct IdleTarget {
    std::filesystem::path socket; // e.g. Cluster::socket()
    std::string user = "postgres";
    std::string database = "postgres";
};

class IdleConnections {
  public:
    // Opens `count` connections and waits for each to be ready; raises this
    // program's limit of open files for it.  `progress` hears how many are
    // open; `stop`, when given and true, ends the opening with an error.  The
    // server must trust the user: no password is sent.
    [[nodiscard]] static Result<IdleConnections> open(const IdleTarget& target, std::size_t count,
                                                      const std::function<void(std::size_t)>& progress = {},
                                                      const std::atomic<bool>* stop = nullptr);

    // How many are still open: the server may have closed some.
    [[nodiscard]] std::size_t count_open() const;

  private:
    IdleConnections() = default;
    std::vector<UniqueFd> connections_;
};

} // namespace snapscope
