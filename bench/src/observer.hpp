// A tool that watches a server while it is loaded: started, checked to have seen
// something, ended.  What a tool that saw nothing costs is not worth a figure.
#pragma once

#include "bpftrace.hpp"
#include "server.hpp"

#include <snapscope/lab/process.hpp>
#include <snapscope/lab/scratch_folder.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace snapscope::bench {

class Observer {
  public:
    virtual ~Observer() = default;
    Observer(const Observer&) = delete;
    Observer& operator=(const Observer&) = delete;
    Observer(Observer&&) = delete;
    Observer& operator=(Observer&&) = delete;
    // Ends it; why its round does not count, empty when it does.
    virtual std::string finish() = 0;

  protected:
    Observer() = default;
};

// A row of the table.
struct Tool {
    std::string name;
    std::string contender;                                         // the server that it watches
    std::string missing;                                           // why it cannot take part; empty: it can
    std::function<std::unique_ptr<Observer>(const Server&)> start; // none: nothing watches
};

// In the order of the table; the first of each contender is "nothing".
[[nodiscard]] std::vector<Tool> all_tools();
[[nodiscard]] Tool mirror_tool(const std::string& contender);

} // namespace snapscope::bench
