// One libpq connection whose failures are exceptions: a script of many
// statements ends at the first one that fails, wherever it is.
#pragma once

#include <cstdint>
#include <libpq-fe.h>
#include <memory>
#include <string>

namespace snapscope::torture {

struct StatementFailed {
    std::string sqlstate; // empty when there is no reply
    std::string message;
    std::string sql;
    bool lost = false; // and the connection with it: no reply, or the last one
};

class Rows {
  public:
    explicit Rows(PGresult* result) : result_(result) {}
    [[nodiscard]] int count() const { return PQntuples(result_.get()); }
    [[nodiscard]] std::string text(int row, int column) const { return PQgetvalue(result_.get(), row, column); }
    [[nodiscard]] std::int64_t number(int row, int column) const;
    // Rows that an UPDATE or the like touched.
    [[nodiscard]] std::int64_t affected() const;

  private:
    struct Clear {
        void operator()(PGresult* result) const { PQclear(result); }
    };
    std::unique_ptr<PGresult, Clear> result_;
};

class Connection {
  public:
    // Throws StatementFailed, as query() does.  Settings of the session: "-c NAME=VALUE".
    explicit Connection(const std::string& conninfo, const std::string& settings = {});

    Rows query(const std::string& sql);
    [[nodiscard]] int pid() const { return PQbackendPID(connection_.get()); }

  private:
    struct Finish {
        void operator()(PGconn* connection) const { PQfinish(connection); }
    };
    std::unique_ptr<PGconn, Finish> connection_;
};

} // namespace snapscope::torture
