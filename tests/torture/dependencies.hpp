// Dependencies between transactions, as a graph, and its cycles.
#pragma once

#include "history.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace snapscope::torture {

using Node = std::uint32_t; // an index into the history

struct Dependency {
    enum class Kind : std::uint8_t {
        write_write, // `to` wrote the next version
        write_read,  // `to` read this version
        read_write,  // `to` wrote the version next to the one that `from` read
    };
    Node from = 0;
    Node to = 0;
    Kind kind = Kind::write_write;
    Key key = 0;
};

// Edges of a node stand together.
class Graph {
  public:
    Graph(std::size_t nodes, std::vector<Dependency> edges);

    struct Range {
        const Dependency* first;
        const Dependency* last;
        [[nodiscard]] const Dependency* begin() const { return first; }
        [[nodiscard]] const Dependency* end() const { return last; }
    };
    [[nodiscard]] Range out(Node node) const {
        return {edges_.data() + starts_[node], edges_.data() + starts_[node + 1]};
    }
    [[nodiscard]] std::size_t nodes() const { return starts_.size() - 1; }

    // The strongly connected components of more than one node.
    [[nodiscard]] std::vector<std::vector<Node>> components() const;
    // A shortest cycle through the first node of a component.
    [[nodiscard]] std::vector<Dependency> cycle_in(const std::vector<Node>& component) const;

  private:
    std::vector<Dependency> edges_;
    std::vector<std::size_t> starts_;
};

// Adds what is wrong with the cycles of these dependencies to the verdict.
// `committed` says for each transaction whether it is, the unknown ones decided.
void check_cycles(const History& history, const std::vector<bool>& committed,
                  const std::vector<Dependency>& dependencies, Verdict& verdict);

} // namespace snapscope::torture
