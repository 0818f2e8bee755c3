// Source `sql`: settings, version and transaction counts, by a login.
#pragma once

#include "sql_connection.hpp"

#include <snapscope/collector/source.hpp>
#include <snapscope/collector/target.hpp>

#include <memory>

namespace snapscope {

// A session with the server that POSTMASTER runs, as SPEC says or as the owner
// of its data.  Class unavailable when the login fails or reaches another server.
[[nodiscard]] Result<SqlConnection> log_in(const ProcFs& proc, const Postmaster& postmaster, const TargetSpec& spec);

class SqlSource final : public Source {
  public:
    static Result<std::unique_ptr<SqlSource>> attach(const ProcFs& proc, const Postmaster& postmaster,
                                                     const TargetSpec& spec);
    // What a login tells about the server; a fact that it may not see is left alone.
    // Waits until what was done before is in the server's statistics.
    void settle();
    void describe(Server& server);
    // Of one query.
    [[nodiscard]] Result<SqlRows> rows(const std::string& sql);

    [[nodiscard]] std::vector<SeriesName> series() const override;
    void start(std::int64_t now_ns) override;
    void lose_server() override;
    std::vector<Value> sample(std::int64_t now_ns) override;
    void finish(std::int64_t now_ns, Run& run) override;
    [[nodiscard]] SourceStatus status() const override;
    [[nodiscard]] bool interrupted() const override { return !broken_.empty(); }

  private:
    struct Xacts {
        std::uint64_t committed = 0, rolled_back = 0;
    };
    explicit SqlSource(SqlConnection connection) : connection_(std::move(connection)) {}
    std::optional<Xacts> read();

    SqlConnection connection_;
    std::optional<Xacts> last_;
    std::optional<Xacts> added_; // since start(); none: never read
    bool lost_ = false;
    std::int64_t broken_ns_ = 0; // since when
    std::string broken_;
    std::int64_t start_ns_ = 0, end_ns_ = 0;
};

} // namespace snapscope
