// A login that never blocks for long: everything has a deadline.
#pragma once

#include <snapscope/base/result.hpp>

#include <chrono>
#include <libpq-fe.h>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace snapscope {

using SqlParameters = std::map<std::string, std::string>;
using SqlRows = std::vector<std::vector<std::string>>; // NULL is ""

// DSN's keywords over the defaults; a default is left out where the
// environment (libpq's variables) says something else.
[[nodiscard]] Result<SqlParameters> merge_parameters(const SqlParameters& defaults, const std::string& dsn);

class SqlConnection {
  public:
    // While connecting, this thread acts as AS_USER: the server's peer
    // authentication sees that user, and no capability is held meanwhile.
    static Result<SqlConnection> connect(const SqlParameters& parameters, std::optional<uid_t> as_user,
                                         std::chrono::milliseconds timeout);
    // One statement or several; the rows of all of them.
    Result<SqlRows> query(const std::string& sql, std::chrono::milliseconds timeout);
    [[nodiscard]] pid_t backend_pid() const { return PQbackendPID(connection_.get()); }
    [[nodiscard]] bool over_local_socket() const;
    [[nodiscard]] int server_version() const { return PQserverVersion(connection_.get()); } // e.g. 130016

  private:
    struct Finish {
        void operator()(PGconn* connection) const { PQfinish(connection); }
    };
    std::unique_ptr<PGconn, Finish> connection_;
};

} // namespace snapscope
