#include "dependencies.hpp"

#include <algorithm>
#include <deque>
#include <fmt/format.h>

namespace snapscope::torture {
namespace {

constexpr std::size_t reported_cycles = 3;  // of each kind
constexpr std::size_t search_bound = 20000; // nodes of one search for G-single

using Kind = Dependency::Kind;

const char* words(Kind kind) {
    switch (kind) {
    case Kind::write_write:
        return "was overwritten by";
    case Kind::write_read:
        return "was read by";
    case Kind::read_write:
        break;
    }
    return "did not see";
}

std::string report(const History& history, const std::vector<Dependency>& cycle) {
    std::string text;
    for (const auto& edge : cycle)
        text += fmt::format("\n    {} in list {} {} {}", history[edge.from].name, edge.key, words(edge.kind),
                            history[edge.to].name);
    for (const auto& edge : cycle)
        text += "\n    " + describe(history[edge.from]);
    return text;
}

std::vector<Dependency> of_writes(const std::vector<Dependency>& dependencies) {
    std::vector<Dependency> kept;
    std::copy_if(dependencies.begin(), dependencies.end(), std::back_inserter(kept),
                 [](const Dependency& edge) { return edge.kind != Kind::read_write; });
    return kept;
}

void report_components(const History& history, const Graph& graph, const std::string& kind, Verdict& verdict) {
    const auto components = graph.components();
    for (std::size_t i = 0; i < std::min(components.size(), reported_cycles); ++i) {
        const auto cycle = graph.cycle_in(components[i]);
        const bool writes_only = std::all_of(cycle.begin(), cycle.end(),
                                             [](const Dependency& edge) { return edge.kind == Kind::write_write; });
        verdict.violations.push_back({writes_only ? "G0" : kind, "a cycle of dependencies" + report(history, cycle)});
    }
}

// Looks for a path of writes and reads from the one that overwrote (`missed.to`)
// to the one that did not see it: then it had to see it.
class SingleSearch {
  public:
    SingleSearch(const History& history, const std::vector<Dependency>& writes)
        : history_(history), backwards_(history.size(), reversed(writes)), seen_(history.size(), 0),
          came_by_(history.size()) {}

    enum class Answer { none, found, cut_short };

    // Backwards, since what a transaction saw is over when it starts.  Who got
    // its reply before `missed.to` started does not depend on that.
    Answer path_to(const Dependency& missed) {
        const auto earliest = history_[missed.to].start;
        ++round_;
        std::deque<Node> queue{missed.from};
        seen_[missed.from] = round_;
        for (std::size_t visited = 0; !queue.empty(); ++visited) {
            if (visited == search_bound)
                return Answer::cut_short;
            const Node node = queue.front();
            queue.pop_front();
            for (const auto& edge : backwards_.out(node)) {
                if (seen_[edge.to] == round_ || history_[edge.to].reply < earliest)
                    continue;
                seen_[edge.to] = round_;
                came_by_[edge.to] = {edge.to, node, edge.kind, edge.key};
                if (edge.to == missed.to)
                    return Answer::found;
                queue.push_back(edge.to);
            }
        }
        return Answer::none;
    }

    // After found.
    [[nodiscard]] std::vector<Dependency> cycle(const Dependency& missed) const {
        std::vector<Dependency> edges{missed};
        for (Node node = missed.to; node != missed.from; node = edges.back().to)
            edges.push_back(came_by_[node]);
        return edges;
    }

  private:
    static std::vector<Dependency> reversed(std::vector<Dependency> edges) {
        for (auto& edge : edges)
            std::swap(edge.from, edge.to);
        return edges;
    }

    const History& history_;
    Graph backwards_;
    std::vector<std::uint32_t> seen_; // in which round
    std::vector<Dependency> came_by_;
    std::uint32_t round_ = 0;
};

void check_single(const History& history, const std::vector<Dependency>& dependencies, Verdict& verdict) {
    SingleSearch search(history, of_writes(dependencies));
    std::size_t reported = 0;
    for (const auto& edge : dependencies) {
        if (edge.kind != Kind::read_write)
            continue;
        const auto answer = search.path_to(edge);
        if (answer == SingleSearch::Answer::cut_short)
            ++verdict.searches_cut_short;
        if (answer != SingleSearch::Answer::found)
            continue;
        verdict.violations.push_back(
            {"G-single", "a snapshot saw a part of what came before it" + report(history, search.cycle(edge))});
        if (++reported == reported_cycles)
            return;
    }
}

} // namespace

void check_cycles(const History& history, const std::vector<bool>& committed,
                  const std::vector<Dependency>& dependencies, Verdict& verdict) {
    report_components(history, Graph(history.size(), of_writes(dependencies)), "G1c", verdict);
    check_single(history, dependencies, verdict);

    // An aborted one may have seen what no serial order allows: that is why it was.
    std::vector<Dependency> serializable;
    const auto counts = [&](Node node) {
        return committed[node] && history[node].isolation == Isolation::serializable;
    };
    std::copy_if(dependencies.begin(), dependencies.end(), std::back_inserter(serializable),
                 [&](const Dependency& edge) { return counts(edge.from) && counts(edge.to); });
    report_components(history, Graph(history.size(), std::move(serializable)), "G2", verdict);
}

} // namespace snapscope::torture
