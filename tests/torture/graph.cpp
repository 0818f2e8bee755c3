#include "dependencies.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <unordered_map>
#include <unordered_set>

namespace snapscope::torture {

Graph::Graph(std::size_t nodes, std::vector<Dependency> edges) : edges_(std::move(edges)), starts_(nodes + 1, 0) {
    std::stable_sort(edges_.begin(), edges_.end(),
                     [](const Dependency& a, const Dependency& b) { return a.from < b.from; });
    for (const auto& edge : edges_)
        ++starts_[edge.from + 1];
    for (std::size_t node = 0; node < nodes; ++node)
        starts_[node + 1] += starts_[node];
}

// Tarjan's, with a stack of its own: histories are long chains.
std::vector<std::vector<Node>> Graph::components() const {
    constexpr auto unseen = std::numeric_limits<std::uint32_t>::max();
    std::vector<std::uint32_t> order(nodes(), unseen);
    std::vector<std::uint32_t> lowest(nodes(), 0);
    std::vector<bool> open(nodes(), false);
    std::vector<Node> path;
    std::vector<std::vector<Node>> found;
    struct Frame {
        Node node;
        const Dependency* next;
    };
    std::vector<Frame> frames;
    std::uint32_t count = 0;

    const auto enter = [&](Node node) {
        order[node] = lowest[node] = count++;
        open[node] = true;
        path.push_back(node);
        frames.push_back({node, out(node).begin()});
    };
    const auto close = [&](Node root) {
        std::vector<Node> component;
        Node node = 0;
        do {
            node = path.back();
            path.pop_back();
            open[node] = false;
            component.push_back(node);
        } while (node != root);
        if (component.size() > 1)
            found.push_back(std::move(component));
    };

    for (Node first = 0; first < nodes(); ++first) {
        if (order[first] != unseen)
            continue;
        enter(first);
        while (!frames.empty()) {
            auto& frame = frames.back();
            if (frame.next != out(frame.node).end()) {
                const Node to = (frame.next++)->to;
                if (order[to] == unseen)
                    enter(to);
                else if (open[to])
                    lowest[frame.node] = std::min(lowest[frame.node], order[to]);
                continue;
            }
            const Node node = frame.node;
            frames.pop_back();
            if (!frames.empty())
                lowest[frames.back().node] = std::min(lowest[frames.back().node], lowest[node]);
            if (lowest[node] == order[node])
                close(node);
        }
    }
    return found;
}

std::vector<Dependency> Graph::cycle_in(const std::vector<Node>& component) const {
    const std::unordered_set<Node> inside(component.begin(), component.end());
    const Node start = component.front();
    std::unordered_map<Node, Dependency> came_by;
    std::deque<Node> queue{start};
    while (!queue.empty() && !came_by.contains(start)) {
        const Node node = queue.front();
        queue.pop_front();
        for (const auto& edge : out(node))
            if (inside.contains(edge.to) && came_by.emplace(edge.to, edge).second)
                queue.push_back(edge.to);
    }
    std::vector<Dependency> cycle;
    for (Node node = start; cycle.empty() || node != start; node = cycle.back().from)
        cycle.push_back(came_by.at(node));
    std::reverse(cycle.begin(), cycle.end());
    return cycle;
}

} // namespace snapscope::torture
