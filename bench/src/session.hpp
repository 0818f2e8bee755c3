// One open connection to a server, for measurements that a process start would
// drown.  Errors end the benchmark.
#pragma once

#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

struct pg_conn;

namespace snapscope::bench {

class Session {
  public:
    explicit Session(const std::string& conninfo);

    // The first row of the result, as text; null is an empty string.
    [[nodiscard]] std::vector<std::string> row(const std::string& sql);
    [[nodiscard]] double number(const std::string& sql);
    void execute(const std::string& sql);

    // The same in two steps, so that two sessions can be busy at once.
    void send(const std::string& sql);
    [[nodiscard]] double receive_number();

    // Keeps the backend on one CPU; lets it run on all again.
    void pin(int cpu);
    void unpin();

  private:
    struct Close {
        void operator()(pg_conn* connection) const;
    };
    std::unique_ptr<pg_conn, Close> connection_;

    [[noreturn]] void fail() const;
    void run_on(const std::vector<int>& cpus);
    [[nodiscard]] std::vector<std::string> receive_row();
};

} // namespace snapscope::bench
