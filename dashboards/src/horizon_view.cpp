#include "horizon_view.hpp"

#include "evidence.hpp"
#include "series_view.hpp"

#include <snapscope/analyzer/mirror_summary.hpp>
#include <snapscope/base/numbers.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace snapscope {
namespace {

constexpr std::size_t shown_holders = 20;

struct Holding {
    std::size_t windows = 0;
    double oldest = 0; // age in xids, where a series gives it
};

const Series* find_series(const Run& run, std::string_view name, std::string_view source = "") {
    for (const Series& series : run.windows.series)
        if (series.name == name && (source.empty() || series.source == source))
            return &series;
    return nullptr;
}

std::map<std::uint32_t, Holding> holders(const Series& slots, const Series* ages) {
    std::map<std::uint32_t, Holding> out;
    for (std::size_t i = 0; i < slots.values.size(); ++i) {
        const auto& value = slots.values[i];
        if (!value || !(*value >= 0) || *value > 4e9)
            continue;
        Holding& holding = out[static_cast<std::uint32_t>(std::llround(*value))];
        ++holding.windows;
        if (ages != nullptr && ages->values[i])
            holding.oldest = std::max(holding.oldest, *ages->values[i]);
    }
    return out;
}

std::string owner_of(const Run& run, std::uint32_t number) {
    for (const Slot& slot : run.slots)
        if (slot.slot == number)
            return (slot.pid ? "pid " + std::to_string(*slot.pid) : std::string("free at the end")) +
                   (slot.backend ? ", " + *slot.backend : "");
    return "cannot tell";
}

void write_holders(Page& page, const Run& run, const Series& slots) {
    const Series* ages = find_series(run, "horizon_age", slots.source);
    const auto found = holders(slots, ages);
    std::vector<std::pair<std::uint32_t, Holding>> order(found.begin(), found.end());
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.second.windows > b.second.windows; });
    order.resize(std::min(order.size(), shown_holders));
    TableWriter table(page.html, "Who held the horizon back, by the last look of each window",
                      {"slot", "owner", "#windows", "#of all", "#oldest age (xids)"});
    for (const auto& [slot, holding] : order)
        table.row(
            {std::to_string(slot), owner_of(run, slot), grouped(holding.windows),
             percent_text(holding.windows, slots.values.size()),
             ages != nullptr ? grouped(static_cast<std::uint64_t>(std::llround(holding.oldest))) : "cannot tell"});
}

// Over the whole run, as `show` says it.
void write_holder(Page& page, const Run& run) {
    const auto mirror = summarize_mirror(run);
    if (!mirror || !mirror->holder)
        return;
    const HorizonHolder& holder = *mirror->holder;
    const auto line = page.html.element("p");
    page.html.text(fmt::format("Slot {} ", holder.slot)).text("(").isolated(owner_of(run, holder.slot));
    if (holder.database.value_or(0) != 0)
        page.html.text(fmt::format(", database {}", *holder.database));
    page.html.text(fmt::format(") held it back in {:.1f} % of all looks, by up to {} xids. ", 100 * holder.share,
                               grouped(holder.age)));
    write_evidence(page.html, evidence_of(run.sources, "mirror"));
}

} // namespace

void write_horizon(Page& page, Charts& charts, const Run& run, const std::string& id) {
    const Section section(page, id, "Horizon", "How far back must the server keep old row versions, and for whom?");
    Panel panel{"Age of the horizon and of the oldest xmin", "xids", {}};
    for (const Series& series : run.windows.series)
        if (is_of_horizon(series) && series.unit == "xids" &&
            std::any_of(series.values.begin(), series.values.end(), [](const auto& v) { return v.has_value(); })) {
            std::string label = series.name;
            std::replace(label.begin(), label.end(), '_', ' ');
            panel.lines.push_back({label, series.source, series.values});
        }
    const Series* slots = find_series(run, "horizon_holder_slot");
    if (panel.lines.empty() && slots == nullptr) {
        constexpr std::array<std::string_view, 1> from{"mirror"};
        write_absent(page.html, run, "no source looked at the horizon", from);
        return;
    }
    write_holder(page, run);
    if (!panel.lines.empty())
        charts.write({panel});
    if (slots != nullptr)
        write_holders(page, run, *slots);
}

} // namespace snapscope
