#include "overhead_budget.hpp"

#include <algorithm>

namespace snapscope {
namespace {

constexpr double idle_share = 0.05;       // of one CPU
constexpr double saved_at_most_ns = 10e9; // of server CPU time

} // namespace

double at_least_used(double elapsed_ns, double server_ns) {
    return std::max(server_ns, idle_share * elapsed_ns);
}

void OverheadBudget::add(double elapsed_ns, double server_ns, double probe_ns) {
    const double used = at_least_used(elapsed_ns, server_ns);
    balance_ns_ = std::min(balance_ns_ + share_ * used - probe_ns, share_ * saved_at_most_ns);
    probe_ns_ += probe_ns;
    server_ns_ += used;
}

double OverheadBudget::spent_share() const {
    return server_ns_ > 0 ? probe_ns_ / server_ns_ : 0;
}

double OverheadBudget::duty(double cost_share) const {
    return cost_share <= share_ ? 1 : share_ / cost_share;
}

} // namespace snapscope
