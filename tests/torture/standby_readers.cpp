#include "client.hpp"
#include "standby.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <fmt/format.h>
#include <random>
#include <thread>

namespace snapscope::torture {
namespace {

class StandbyReader {
  public:
    StandbyReader(World& world, const std::string& conninfo, int number)
        : world_(world), conninfo_(conninfo), number_(number),
          random_(world.options.seed * 1000 + 500 + std::uint64_t(number)) {}

    History read() {
        while (!world_.stopping()) {
            try {
                Connection connection(conninfo_); // one that is new to a promotion, and one that is not
                ++world_.counts.connections;
                for (int transactions = 1 + below(200); transactions > 0 && !world_.stopping(); --transactions)
                    read_once(connection);
            } catch (const StatementFailed& failure) {
                world_.faults.report("standby", failure.sqlstate + " " + failure.message + " by " + failure.sql);
            }
        }
        return std::move(history_);
    }

  private:
    int below(int bound) { return std::uniform_int_distribution<int>(0, bound - 1)(random_); }

    void read_once(Connection& connection) {
        const bool snapshot = below(2) == 0;
        const auto start = now_ns();
        if (snapshot)
            connection.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
        for (int times = snapshot ? 2 : 1; times > 0; --times) {
            check_sum(connection);
            if (below(4) == 0)
                std::this_thread::sleep_for(std::chrono::milliseconds(below(10)));
        }
        if (snapshot) {
            read_lists(connection, start);
            connection.query("COMMIT");
        } else {
            check_counters(connection);
        }
        ++world_.counts.committed;
    }

    void check_sum(Connection& connection) {
        const auto rows = connection.query("SELECT sum(balance)::int8, count(*) FROM account");
        ++world_.counts.sums;
        if (rows.number(0, 0) != std::int64_t(accounts) * first_balance || rows.number(0, 1) != accounts)
            world_.faults.report("sum",
                                 fmt::format("{} in {} accounts on the standby", rows.text(0, 0), rows.text(0, 1)));
    }

    // What one has seen there, and what anybody was told, all see there.
    void check_counters(Connection& connection) {
        std::array<std::int64_t, counters> least{};
        for (int counter = 0; counter < counters; ++counter)
            least[std::size_t(counter)] = std::max(world_.standby_minima.of(counter), world_.minima.of(counter));
        const auto rows = connection.query("SELECT id, value, twin FROM counter");
        ++world_.counts.counters;
        if (rows.count() != counters)
            world_.faults.report("counter", fmt::format("{} rows on the standby", rows.count()));
        for (int row = 0; row < rows.count(); ++row) {
            const auto counter = static_cast<int>(rows.number(row, 0));
            const auto value = rows.number(row, 1);
            if (value < least[std::size_t(counter)] || value != rows.number(row, 2))
                world_.faults.report("counter",
                                     fmt::format("counter {} is {} on the standby, its twin {}, and {} was known",
                                                 counter, value, rows.text(row, 2), least[std::size_t(counter)]));
            world_.standby_minima.raise(counter, value);
        }
    }

    void read_lists(Connection& connection, std::int64_t start) {
        Transaction transaction;
        transaction.start = start;
        transaction.name = fmt::format("S{}.{}", number_, history_.size());
        const Key first = world_.first_open_list();
        const auto rows = connection.query(
            fmt::format("SELECT key, items FROM list WHERE key BETWEEN {} AND {}", first, first + open_lists - 1));
        ++world_.counts.lists;
        for (int row = 0; row < rows.count(); ++row)
            transaction.operations.push_back({Operation::Kind::read, static_cast<Key>(rows.number(row, 0)), 0,
                                              values_in(rows.text(row, 1)), Operation::never});
        history_.push_back(std::move(transaction));
    }

    World& world_;
    std::string conninfo_;
    int number_;
    std::mt19937_64 random_;
    History history_;
};

} // namespace

History read_standby(World& world, const std::string& conninfo, int number) {
    return StandbyReader(world, conninfo, number).read();
}

} // namespace snapscope::torture
