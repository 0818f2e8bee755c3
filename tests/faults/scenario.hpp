// Directed scenarios for the rules of the cached snapshot.  Each drives a server
// built with faults into the state that one rule is for, and says whether what
// it saw was right.  With the rule left out (snapshot_cache_mutant) it must be
// caught: by the scenario, or by the server's own verification.
#pragma once

#include "client.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace snapscope::test {

using Settings = std::vector<std::pair<std::string, std::string>>;

// Starts servers for one run of a scenario, all with the same mutant.
class Stage {
  public:
    Stage(std::filesystem::path prefix, std::string mode, std::string mutant)
        : prefix_(std::move(prefix)), mode_(std::move(mode)), mutant_(std::move(mutant)) {}

    // Table t (id 1 to 10, n = 0) and the extension snapscope_test are there.
    Cluster& start(const Settings& settings);
    // A hot standby of the server started first, in step with it.
    Cluster& start_standby(const Settings& settings);
    // Waits until the standby has replayed what the primary has flushed.
    static bool in_step(Client& primary, Client& standby);

    // Waits until a session stands in the window that it has named in
    // snapshot_cache_pause, or has ended the statement that it was sent.
    static bool paused_or_done(Client& observer, const Client& session);
    // Lets all such sessions go on.
    static bool go_on(Client& observer) { return observer.run("SELECT pg_reload_conf()"); }

    [[nodiscard]] const std::string& mutant() const { return mutant_; }

    // What the servers' logs say of the verification, or of an assertion; empty for nothing.
    [[nodiscard]] std::string complaint() const;

  private:
    Cluster& start_with(const Settings& settings, const Cluster* primary);

    std::filesystem::path prefix_;
    std::string mode_, mutant_;
    std::vector<std::unique_ptr<Cluster>> clusters_;
};

struct Scenario {
    std::string mutant;             // the function that holds the hook, or the rule
    std::vector<std::string> modes; // that it makes sense in
    // True: everything that was seen was right.
    std::function<bool(Stage&)> run;
};

[[nodiscard]] std::vector<Scenario> primary_scenarios();
[[nodiscard]] std::vector<Scenario> horizon_scenarios();
[[nodiscard]] std::vector<Scenario> standby_scenarios();
[[nodiscard]] std::vector<Scenario> race_scenarios();

} // namespace snapscope::test
