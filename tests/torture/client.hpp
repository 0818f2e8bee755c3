// One client: a connection at a time, random numbers of its own, and the
// scripts that it runs until the run ends.
#pragma once

#include "connection.hpp"
#include "world.hpp"

#include <optional>
#include <random>
#include <string>
#include <vector>

namespace snapscope::torture {

class Client {
  public:
    Client(World& shared, int number);

    void run();
    // After run(): transactions on lists.
    [[nodiscard]] History take_history() { return std::move(history_); }

    // ---- for scripts ----
    World& world;
    Rows query(const std::string& sql);
    // As query(); a statement that touches another number of rows is a fault.
    Rows touch(const std::string& sql, std::int64_t rows);
    [[nodiscard]] int below(int bound) { return std::uniform_int_distribution<int>(0, bound - 1)(random_); }
    [[nodiscard]] bool chance(int percent) { return below(100) < percent; }
    void fault(const std::string& kind, const std::string& text);

    // BEGIN at repeatable read or serializable.
    Isolation begin_snapshot();
    // Ends it in one of the ways there are: COMMIT or ROLLBACK, by two phases or
    // not.  True: it is committed.  `doubtful` while a lost reply leaves it open.
    bool end();
    [[nodiscard]] bool doubtful() const { return doubtful_; }
    // 65 to 90 subtransactions, more than a backend's cache of them holds.
    void overflow();
    void pause(int milliseconds) const;
    void record(Transaction transaction) { history_.push_back(std::move(transaction)); }
    [[nodiscard]] std::string new_name() { return "T" + std::to_string(number_) + "." + std::to_string(++named_); }

  private:
    void connect();
    void act();
    void handle(const StatementFailed& failure);
    void settle_prepared();

    int number_;
    std::mt19937_64 random_;
    std::optional<Connection> connection_;
    History history_;
    int named_ = 0;
    bool doubtful_ = false;
    std::string prepared_; // a transaction whose second phase is open
};

// "{1,2,3}"
[[nodiscard]] std::vector<Value> values_in(const std::string& array);

// ---- scripts ----
void transfer(Client& client);
void read_sum(Client& client);
void increment(Client& client);
void read_counters(Client& client);
void append_and_read_lists(Client& client);
void read_long(Client& client);
void share_snapshot(Client& client);
// The same in the shortest transactions.
void increment_briefly(Client& client);
void read_counters_briefly(Client& client);
void read_sum_briefly(Client& client);

} // namespace snapscope::torture
