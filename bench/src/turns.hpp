// Servers take turns within a round, in an order that rotates, so that round i
// of each is the neighbour in time of round i of the others.
#pragma once

#include "report.hpp"
#include "server.hpp"

#include <algorithm>
#include <type_traits>

namespace snapscope::bench {

// The rounds of each server, in the order of `servers`.
template <typename Measure> auto take_turns(const std::vector<Server*>& servers, int rounds, const Measure& measure) {
    using Value = std::invoke_result_t<Measure, Server&>;
    std::vector<std::vector<Value>> results(servers.size());
    for (int round = 0; round < rounds; ++round)
        for (std::size_t turn = 0; turn < servers.size(); ++turn) {
            const auto at = (turn + static_cast<std::size_t>(round)) % servers.size();
            results[at].push_back(measure(*servers[at]));
        }
    return results;
}

// Those of the names that are there, in the order of the names.
[[nodiscard]] inline std::vector<Server*> those_of(const Servers& servers, const std::vector<std::string>& names) {
    std::vector<Server*> found;
    for (const auto& name : names)
        if (auto* server = find_if_there(servers, name))
            found.push_back(server);
    return found;
}

// Rounds by name, for ratios.
class Results {
  public:
    Results(const std::vector<Server*>& servers, std::vector<Rounds> rounds) : rounds_(std::move(rounds)) {
        for (const auto* server : servers)
            names_.push_back(server->name());
    }
    [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
    [[nodiscard]] bool has(const std::string& name) const {
        return std::find(names_.begin(), names_.end(), name) != names_.end();
    }
    [[nodiscard]] const Rounds& operator[](const std::string& name) const {
        const auto at = std::find(names_.begin(), names_.end(), name);
        if (at == names_.end())
            give_up("nothing was measured of " + name);
        return rounds_[static_cast<std::size_t>(at - names_.begin())];
    }
    // Rows with the label `server`, after the labels given.
    void add_rows(Report& report, const Labels& labels, const std::string& unit) const {
        for (std::size_t i = 0; i < names_.size(); ++i) {
            auto with_name = labels;
            with_name.emplace_back("server", names_[i]);
            report.add_row(std::move(with_name), unit, rounds_[i]);
        }
    }
    // "WHAT, one / other", where both are there.
    void add_ratio(Report& report, const std::string& what, const std::string& one, const std::string& other) const {
        if (has(one) && has(other))
            report.add_ratio(ratio_of(what + ", " + one + " / " + other, (*this)[one], (*this)[other]));
    }

  private:
    std::vector<std::string> names_;
    std::vector<Rounds> rounds_;
};

} // namespace snapscope::bench
