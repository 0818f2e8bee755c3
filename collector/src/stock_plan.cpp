#include "stock_plan.hpp"

#include <snapscope/collector/binary.hpp>

#include <algorithm>
#include <fmt/format.h>

namespace snapscope {
namespace {

constexpr std::uint32_t rows_by_pid = 4096;
constexpr double ns_per_s = 1e9;

struct NamedFunction {
    const char* name;
    snapscope_stock_probe probe;
};
constexpr NamedFunction entry_functions[] = {{"GetSnapshotData", SNAPSCOPE_STOCK_SNAPSHOT},
                                             {"ProcArrayEndTransaction", SNAPSCOPE_STOCK_XACT_END},
                                             {"GetNewTransactionId", SNAPSCOPE_STOCK_NEW_XID}};

std::vector<std::string> wanted_symbols() {
    std::vector<std::string> names;
    for (const auto& function : entry_functions)
        names.emplace_back(function.name);
    return names;
}

} // namespace

ProbeRates rates_of(const StockHits& seen, double elapsed_ns, double server_cpu_ns) {
    ProbeRates rates;
    for (std::size_t probe = 0; probe < SNAPSCOPE_STOCK_PROBES; ++probe) {
        rates.own[probe] = static_cast<double>(seen.own[probe]) * ns_per_s / elapsed_ns;
        rates.others[probe] = static_cast<double>(seen.others[probe]) * ns_per_s / elapsed_ns;
    }
    rates.own[SNAPSCOPE_STOCK_RETURN] = rates.own[SNAPSCOPE_STOCK_SNAPSHOT];
    rates.others[SNAPSCOPE_STOCK_RETURN] = rates.others[SNAPSCOPE_STOCK_SNAPSHOT];
    rates.server_cpu = at_least_used(elapsed_ns, server_cpu_ns) / elapsed_ns;
    return rates;
}

Result<StockPlan> StockPlan::make(const ProcFs& proc, pid_t postmaster, const std::string& exe) {
    const auto symbols = read_symbols(exe, wanted_symbols());
    const auto facts = read_binary(exe);
    if (!symbols || !facts) {
        const Error& error = symbols ? facts.error() : symbols.error();
        return fail(Error{ErrorClass::unavailable, error.what, "run as the server's user or as root"});
    }
    StockPlan plan;
    for (const auto& function : entry_functions) {
        const Symbol* symbol = symbols->find(function.name);
        if (symbol == nullptr || symbol->file_offset == 0)
            continue;
        const auto first = classify_instruction(symbol->first_bytes);
        plan.functions_.push_back({function.probe, symbol->file_offset, first});
        if (first == FirstInstruction::other)
            plan.warnings_.push_back(fmt::format("{} begins with an instruction that the kernel single-steps: its "
                                                 "probe costs several times as much",
                                                 function.name));
    }
    const auto snapshot = std::ranges::find(plan.functions_, SNAPSCOPE_STOCK_SNAPSHOT, &ProbedFunction::probe);
    if (snapshot == plan.functions_.end())
        return fail(Error{ErrorClass::unavailable, "the server's binary does not export GetSnapshotData",
                          "use a build whose dynamic symbols are not stripped"});
    // The return is set before the entry, so that no entry goes without it.
    const ProbedFunction at_return{SNAPSCOPE_STOCK_RETURN, snapshot->file_offset, snapshot->first};
    plan.functions_.insert(plan.functions_.begin(), at_return);
    plan.waits_ = std::ranges::count(facts->server_probes, "lwlock__wait__start") > 0 &&
                  std::ranges::count(facts->server_probes, "lwlock__wait__done") > 0;
    plan.options_.postmaster = postmaster;
    plan.learn_words(proc, postmaster);
    return plan;
}

void StockPlan::learn_words(const ProcFs& proc, pid_t postmaster) {
    options_.rows = rows_by_pid;
    const auto found = stock_words(proc, postmaster);
    if (!found) {
        unknown_ = found.error().what;
        return;
    }
    options_.number = found->words.number;
    options_.rows = found->words.slots;
    options_.completion_count = found->layout.snapshot_completion_count;
    options_.fields_known = true;
    scans_only_ = !options_.completion_count;
}

bool StockPlan::has(snapscope_stock_probe probe) const {
    return std::ranges::find(functions_, probe, &ProbedFunction::probe) != functions_.end();
}

Status StockPlan::measure_costs() {
    for (const auto& function : functions_) {
        const auto cost = probe_cost(function.first);
        if (!cost)
            return fail(cost.error());
        ns_each_[function.probe] =
            function.probe == SNAPSCOPE_STOCK_RETURN ? std::max(cost->pair_ns - cost->entry_ns, 0.0) : cost->entry_ns;
    }
    if (waits_) {
        const auto cost = probe_cost(FirstInstruction::nop); // what USDT sites are
        if (!cost)
            return fail(cost.error());
        ns_each_[SNAPSCOPE_STOCK_WAIT] = cost->entry_ns;
    }
    return {};
}

double StockPlan::ns_of(const std::array<double, SNAPSCOPE_STOCK_PROBES>& hits) const {
    double ns = 0;
    for (std::size_t probe = 0; probe < hits.size(); ++probe)
        ns += hits[probe] * ns_each_[probe];
    return ns;
}

std::array<double, SNAPSCOPE_STOCK_PROBES> hits_between(const StockHits& before, const StockHits& now) {
    std::array<double, SNAPSCOPE_STOCK_PROBES> hits{};
    for (std::size_t probe = 0; probe < hits.size(); ++probe)
        hits[probe] =
            static_cast<double>(now.own[probe] - before.own[probe] + now.others[probe] - before.others[probe]);
    return hits;
}

double cost_share(const StockPlan& plan, const ProbeRates& rates) {
    auto hits = rates.own;
    for (std::size_t probe = 0; probe < hits.size(); ++probe)
        hits[probe] += rates.others[probe];
    return plan.ns_of(hits) / ns_per_s / rates.server_cpu;
}

std::string describe_cost(const StockPlan& plan, const ProbeRates& rates, const OverheadBudget& budget) {
    const double share = cost_share(plan, rates);
    std::string text = fmt::format("{:.0f} snapshots/s, {:.1f} us of probes each on this kernel: with what else is "
                                   "probed {:.1f} % of the server's CPU time",
                                   rates.own[SNAPSCOPE_STOCK_SNAPSHOT], plan.snapshot_ns() / 1e3, 100 * share);
    if (rates.others[SNAPSCOPE_STOCK_SNAPSHOT] > 0)
        text += fmt::format(", {:.0f} snapshots/s of other servers included", rates.others[SNAPSCOPE_STOCK_SNAPSHOT]);
    const double duty = budget.duty(share);
    if (duty < least_duty)
        text += fmt::format("; too much even for a sample within --overhead {:g}%", 100 * budget.share());
    else if (duty < 1)
        text += fmt::format("; observes about {:.0f} % of the time, for --overhead {:g}%", 100 * duty,
                            100 * budget.share());
    return text;
}

} // namespace snapscope
