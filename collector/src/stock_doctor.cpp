// What can be said about probes on an unpatched server before they are set.
#include "stock_plan.hpp"
#include "stock_source.hpp"

#include <fmt/format.h>

namespace snapscope {

Status StockSource::check(const std::string& binary) {
    const auto symbols = read_symbols(binary, {"GetSnapshotData"});
    if (!symbols)
        return fail(Error{ErrorClass::unavailable, symbols.error().what, symbols.error().hint});
    if (symbols->find("GetSnapshotData") == nullptr)
        return fail(Error{ErrorClass::unavailable, "the server's binary does not export GetSnapshotData",
                          "use a build whose dynamic symbols are not stripped"});
    return {};
}

Result<std::string> StockSource::probe(const ProcFs& proc, pid_t postmaster) {
    auto plan = StockPlan::make(proc, postmaster, proc.path(postmaster, "exe").string());
    if (!plan)
        return fail(plan.error());
    if (const auto loaded = StockProbes::load(plan->options()); !loaded)
        return fail(loaded.error());
    SNAPSCOPE_TRY(plan->measure_costs());
    std::string text = fmt::format("by uprobes, {:.1f} us a snapshot on this kernel", plan->snapshot_ns() / 1e3);
    if (!plan->waits())
        text += "; no lock waits: built without USDT";
    if (!plan->unknown().empty())
        text += "; no slots and outcomes: " + plan->unknown();
    for (const auto& warning : plan->warnings())
        text += "; " + warning;
    return text;
}

} // namespace snapscope
