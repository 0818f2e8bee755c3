// A session with a server that may break under it: nothing here is a failure of
// the test, the scenario decides.
#pragma once

#include <snapscope/lab/cluster.hpp>

#include <libpq-fe.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace snapscope::test {

class Client {
  public:
    explicit Client(const Cluster& cluster)
        : connection_(PQconnectdb((cluster.conninfo() + " application_name=faults").c_str())) {}

    // False when a statement failed or the server is gone.
    bool run(const std::string& sql);
    // The first field of the first row; none on failure, for NULL and for no row.
    [[nodiscard]] std::optional<std::string> value(const std::string& sql);
    [[nodiscard]] std::optional<std::int64_t> number(const std::string& sql);
    // Sends without waiting.
    bool send(const std::string& sql) { return PQsendQuery(connection_.get(), sql.c_str()) == 1; }
    // Whether what was sent has not been answered yet.
    [[nodiscard]] bool busy() const {
        return PQconsumeInput(connection_.get()) == 1 && PQisBusy(connection_.get()) == 1;
    }
    // Waits for what was sent; false when it failed.
    bool finish();
    [[nodiscard]] int pid() const { return PQbackendPID(connection_.get()); }
    [[nodiscard]] bool alive() const { return PQstatus(connection_.get()) == CONNECTION_OK; }

  private:
    struct Close {
        void operator()(PGconn* connection) const { PQfinish(connection); }
    };
    std::unique_ptr<PGconn, Close> connection_;
};

} // namespace snapscope::test
