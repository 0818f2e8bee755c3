#include "series_view.hpp"

#include "evidence.hpp"

#include <snapscope/analyzer/metrics.hpp>
#include <snapscope/base/numbers.hpp>

#include <algorithm>
#include <array>
#include <set>

namespace snapscope {
namespace {

using Values = std::vector<std::optional<double>>;
constexpr std::string_view invalidations = "invalidations_";
constexpr std::size_t shown_reasons = 5;

bool has_value(const Values& values) {
    return std::any_of(values.begin(), values.end(), [](const auto& value) { return value.has_value(); });
}

double sum(const Values& values) {
    double out = 0;
    for (const auto& value : values)
        out += value.value_or(0);
    return out;
}

// Takes series out of a run one after the other, so that each is drawn once.
class Basket {
  public:
    explicit Basket(const Run& run) : run_(run) {}

    // The series NAME of `source` with a value somewhere; null where there is none.
    const Series* take(std::string_view name, std::string_view source) {
        for (const Series& series : run_.windows.series)
            if (series.name == name && series.source == source && has_value(series.values) &&
                taken_.insert(&series).second)
                return &series;
        return nullptr;
    }

    template <class F> std::vector<const Series*> take_all(F wanted) {
        std::vector<const Series*> out;
        for (const Series& series : run_.windows.series)
            if (has_value(series.values) && wanted(series) && taken_.insert(&series).second)
                out.push_back(&series);
        return out;
    }

  private:
    const Run& run_;
    std::set<const Series*> taken_;
};

Values added(const Values& a, const Values& b) {
    Values out(a.size());
    for (std::size_t i = 0; i < a.size(); ++i)
        if (a[i] && b[i])
            out[i] = *a[i] + *b[i];
    return out;
}

// "snapshots_private_scans" -> "private scans"
std::string words(std::string_view name, std::string_view prefix = "") {
    std::string out(name.starts_with(prefix) ? name.substr(prefix.size()) : name);
    std::replace(out.begin(), out.end(), '_', ' ');
    return out;
}

// A source that samples gives what it saw, not what was added; but for these.
bool is_read(const Run& run, const Series& series) {
    constexpr std::array<std::string_view, 4> differences{"xids_assigned", "xid_ends", "latest_completed_advance",
                                                          "samples"};
    const SourceStatus* source = find_source(run, series.source);
    return source != nullptr && source->kind == EvidenceKind::sampled &&
           std::find(differences.begin(), differences.end(), series.name) == differences.end();
}

Panel transactions(const Run& run, Basket& series) {
    Panel panel{"Transactions", "a second", {}};
    struct Pair {
        const char *source, *one, *other;
    };
    for (const auto& [source, one, other] :
         {Pair{"ring", "xacts_with_xid", "xacts_without_xid"}, Pair{"ebpf", "xacts_with_xid", "xacts_without_xid"},
          Pair{"sql", "xacts_committed", "xacts_rolled_back"}}) {
        const Series* left = series.take(one, source);
        const Series* right = series.take(other, source);
        if (left != nullptr && right != nullptr)
            panel.lines.push_back(
                {"transactions", source, per_second(run.windows, added(left->values, right->values))});
    }
    return panel;
}

Panel snapshots(const Run& run, Basket& series) {
    Panel panel{"Snapshots by outcome", "a second", {}};
    for (const char* source : {"ring", "ebpf"}) {
        const bool first = panel.lines.empty();
        for (const char* name : {"snapshots_reused", "snapshots_rebuilt", "snapshots_private_scans"})
            if (const Series* found = series.take(name, source))
                panel.lines.push_back({words(name, "snapshots_"), source, per_second(run.windows, found->values)});
        // A server of one outcome alone: what there is in all.
        if (const Series* all = series.take("snapshots_taken", source); all != nullptr && first && panel.lines.empty())
            panel.lines.push_back({"all", source, per_second(run.windows, all->values)});
    }
    return panel;
}

Panel cpu(const Run& run, Basket& series) {
    Panel panel{"CPU time of the server's backends", "CPUs", {}};
    if (const Series* found = series.take("server_cpu_ns", "sched")) {
        Values cpus = per_second(run.windows, found->values);
        for (auto& value : cpus)
            if (value)
                *value /= 1e9;
        panel.lines.push_back({"CPUs busy", "sched", std::move(cpus)});
    }
    return panel;
}

Panel invalidation(const Run& run, Basket& series) {
    Panel panel{"Invalidations by reason", "a second", {}};
    auto reasons = series.take_all([](const Series& s) { return s.name.starts_with(invalidations); });
    std::stable_sort(reasons.begin(), reasons.end(),
                     [](const Series* a, const Series* b) { return sum(a->values) > sum(b->values); });
    for (const Series* reason : reasons)
        if (sum(reason->values) > 0 && panel.lines.size() < shown_reasons)
            panel.lines.push_back(
                {words(reason->name, invalidations), reason->source, per_second(run.windows, reason->values)});
    return panel;
}

Panel transfers(const Run& run, Basket& series) {
    Panel panel{"Transfers of cache lines", "a second", {}};
    for (const Series* found : series.take_all([](const Series& s) { return s.name.starts_with("transfers"); }))
        panel.lines.push_back({words(found->name), found->source, per_second(run.windows, found->values)});
    return panel;
}

Panel other(const Run& run, const Series& series) {
    Panel panel{words(series.name), series.unit == "1" ? "" : series.unit, {}, true};
    const bool read = is_read(run, series);
    if (!read)
        panel.unit += panel.unit.empty() ? "a second" : " a second";
    panel.lines.push_back(
        {words(series.name), series.source, read ? series.values : per_second(run.windows, series.values)});
    return panel;
}

} // namespace

bool is_of_horizon(const Series& series) {
    return (series.name.starts_with("horizon_") && series.name != "horizon_refreshes") ||
           (series.name.starts_with("oldest_") && series.name.ends_with("_age"));
}

std::vector<Panel> panels_of(const Run& run) {
    Basket series(run);
    std::vector<Panel> out{transactions(run, series), snapshots(run, series), cpu(run, series),
                           invalidation(run, series), transfers(run, series)};
    std::erase_if(out, [](const Panel& panel) { return panel.lines.empty(); });
    const auto rest = [](const Series& s) {
        return !is_of_horizon(s) &&
               std::any_of(s.values.begin(), s.values.end(), [](const auto& value) { return value.value_or(0) != 0; });
    };
    for (const Series* found : series.take_all(rest))
        out.push_back(other(run, *found));
    return out;
}

void write_series(Page& page, Charts& charts, const Run& run, const std::string& id) {
    const Section section(page, id, "Over time",
                          "How many transactions and snapshots were there a second, and how "
                          "did the snapshots come about?");
    auto panels = panels_of(run);
    if (panels.empty()) {
        constexpr std::array<std::string_view, 4> from{"ring", "ebpf", "sched", "sql"};
        write_absent(page.html, run, "no source gave a series", from);
        return;
    }
    const auto small = std::stable_partition(panels.begin(), panels.end(), [](const Panel& p) { return !p.small; });
    const std::vector<Panel> others(small, panels.end());
    panels.erase(small, panels.end());
    if (!panels.empty())
        charts.write(panels);
    if (others.empty())
        return;
    const Folded folded(page.html, "All other series (" + std::to_string(others.size()) + ")");
    charts.write(others);
}

} // namespace snapscope
