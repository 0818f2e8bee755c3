#include "import_parts.hpp"

#include <snapscope/readers/hitm_report.hpp>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <tuple>

namespace snapscope {
namespace {

constexpr std::size_t most_rows = 64;       // of a matrix: the hottest
constexpr std::size_t most_named_lines = 8; // of false sharing
constexpr std::uint64_t page_bytes = 4096;
constexpr const char* not_told = "not told";

using Group = std::function<std::optional<std::uint32_t>(const Cpu&)>;
struct Grouping {
    const char* by;
    Group of;
};
const std::vector<Grouping>& groupings() {
    static const std::vector<Grouping> all{{"core", [](const Cpu& cpu) { return std::optional(cpu.core); }},
                                           {"llc", [](const Cpu& cpu) { return cpu.llc; }},
                                           {"node", [](const Cpu& cpu) { return std::optional(cpu.node); }},
                                           {"socket", [](const Cpu& cpu) { return std::optional(cpu.socket); }}};
    return all;
}

// The group of every CPU by its number; nullopt where one of them is in none.
class Groups {
  public:
    Groups(const std::vector<Cpu>& cpus, const Group& of) {
        for (const Cpu& cpu : cpus)
            if (const auto group = of(cpu))
                group_[cpu.cpu] = *group;
    }
    [[nodiscard]] std::string of(std::uint32_t cpu) const {
        const auto at = group_.find(cpu);
        return at == group_.end() ? not_told : std::to_string(at->second);
    }
    [[nodiscard]] bool empty() const { return group_.empty(); }

  private:
    std::map<std::uint32_t, std::uint32_t> group_;
};

// Numbers by value, then what is not told.
struct ByNumber {
    bool operator()(const std::string& a, const std::string& b) const {
        return std::tuple(a == not_told, a.size(), a) < std::tuple(b == not_told, b.size(), b);
    }
};
using Cells = std::map<std::string, std::map<std::string, double, ByNumber>, ByNumber>;

void put_cells(const char* name, const char* unit, const char* by, const Cells& cells, Run& run) {
    Matrix matrix{name, "hitm", unit, by, {}, {}, {}};
    std::map<std::string, double, ByNumber> columns;
    for (const auto& [reader, row] : cells)
        for (const auto& [writer, value] : row)
            columns[writer] = 0;
    for (const auto& [writer, value] : columns)
        matrix.writers.push_back(writer);
    for (const auto& [reader, row] : cells) {
        matrix.readers.push_back(reader);
        for (const auto& [writer, value] : columns) {
            const auto at = row.find(writer);
            matrix.counts.push_back(at == row.end() ? 0 : at->second);
        }
    }
    if (!matrix.readers.empty() && !matrix.writers.empty())
        run.matrices.push_back(std::move(matrix));
}

// The hottest of PLACES, remote ones first.
template <typename Places, typename Name> void put_hottest(const Places& places, const char* by, Name name, Run& run) {
    std::vector<std::tuple<double, double, std::string>> rows; // remote, local, name
    std::map<std::string, std::pair<double, double>> sums;     // several places may have one name
    for (const auto& [place, counts] : places) {
        if (counts.hitm_local + counts.hitm_remote == 0)
            continue;
        auto& sum = sums[name(place)];
        sum.first += static_cast<double>(counts.hitm_remote);
        sum.second += static_cast<double>(counts.hitm_local);
    }
    for (const auto& [text, sum] : sums)
        rows.emplace_back(sum.first, sum.second, text);
    std::ranges::stable_sort(rows, [](const auto& a, const auto& b) {
        return std::tuple(std::get<0>(a), std::get<1>(a)) > std::tuple(std::get<0>(b), std::get<1>(b));
    });
    if (rows.size() > most_rows) {
        run.warnings.push_back(fmt::format("hitm: the {} hottest of {} by {} are kept", most_rows, rows.size(), by));
        rows.resize(most_rows);
    }
    Matrix matrix = hitm_matrix(by);
    for (const auto& [remote, local, text] : rows)
        add_row(matrix, text, local, remote);
    if (!matrix.readers.empty())
        run.matrices.push_back(std::move(matrix));
}

void put_by_group(const LineTally& tally, const HitmContext& context, Run& run) {
    for (const Grouping& grouping : groupings()) {
        const Groups groups(context.cpus, grouping.of);
        if (groups.empty())
            continue;
        Matrix matrix = hitm_matrix(grouping.by);
        std::map<std::string, std::pair<double, double>, ByNumber> rows;
        Cells cells;
        for (const auto& [cpu, counts] : tally.cpus()) {
            auto& row = rows[groups.of(static_cast<std::uint32_t>(cpu))];
            row.first += static_cast<double>(counts.hitm_local);
            row.second += static_cast<double>(counts.hitm_remote);
        }
        for (const auto& [group, row] : rows)
            add_row(matrix, group, row.first, row.second);
        if (!matrix.readers.empty())
            run.matrices.push_back(std::move(matrix));
        for (const auto& [pair, estimate] : tally.pairs())
            cells[groups.of(pair.reader)][pair.writer ? groups.of(*pair.writer) : not_told] += estimate.events;
        put_cells("transfers", "1", grouping.by, cells, run);
    }
}

// Reader's node by the node whose memory the page is in.
void put_homes(const LineTally& tally, const HitmContext& context, Run& run) {
    std::map<std::uint64_t, std::optional<std::uint32_t>> homes;
    Cells cells;
    bool any = false;
    for (const auto& [key, estimate] : tally.pages()) {
        const auto& [node, page] = key;
        auto home = homes.find(page);
        if (home == homes.end())
            home = homes.emplace(page, context.home ? context.home(page * page_bytes) : std::nullopt).first;
        any |= home->second.has_value();
        cells[std::to_string(node)][home->second ? std::to_string(*home->second) : not_told] += estimate.events;
    }
    if (any)
        put_cells("home_transfers", "1", "node", cells, run);
}

void put_totals(const LineTally& tally, bool none, Run& run) {
    const AccessCounts all = tally.all();
    const auto put = [&](const char* name, const char* unit, std::optional<double> value) {
        run.totals.push_back({name, "hitm", unit, value ? std::optional(std::llround(*value)) : std::nullopt});
    };
    const auto of_hitm = [none](std::uint64_t count) {
        return none ? std::nullopt : std::optional(static_cast<double>(count));
    };
    put("hitm_samples_local", "samples", of_hitm(all.hitm_local));
    put("hitm_samples_remote", "samples", of_hitm(all.hitm_remote));
    put("hitm_samples_unplaced", "samples", of_hitm(all.hitm_unplaced));
    put("load_samples", "samples", static_cast<double>(all.loads));
    put("store_samples", "samples", static_cast<double>(all.stores));
    put("locked_samples", "samples", static_cast<double>(all.locked));
    put("blocked_samples", "samples", static_cast<double>(all.blocked));
    const bool estimated = !none && tally.without_period() == 0;
    const auto put_estimate = [&](const std::string& name, const EventEstimate& estimate) {
        put(name.c_str(), "1", estimated ? std::optional(estimate.events) : std::nullopt);
        put((name + "_error").c_str(), "1", estimated ? std::optional(estimate.error()) : std::nullopt);
    };
    put_estimate("hitm_events_local", all.local);
    put_estimate("hitm_events_remote", all.remote);
}

void put_warnings(const LineTally& tally, Run& run) {
    const AccessCounts all = tally.all();
    EventEstimate sum = all.local;
    sum.add(all.remote);
    sum.add(all.unplaced);
    if (tally.without_period() > 0)
        run.warnings.emplace_back("hitm: samples, not events: the stream does not state the period of each");
    else if (all.hitm() > 0)
        run.warnings.push_back(fmt::format(
            "hitm: {} samples stand for {:.4g} transfers, with a sampling error of {:.2g} (one standard deviation)",
            all.hitm(), sum.events, sum.error()));
    if (tally.worst_scale().value_or(1) > 1.01)
        run.warnings.push_back(fmt::format("hitm: the event shared its counter and is scaled up, at most by {:.2f}",
                                           *tally.worst_scale()));
    auto shared = false_sharing(tally);
    const std::size_t lines = shared.size();
    shared.resize(std::min(shared.size(), most_named_lines));
    for (const SharedEntries& line : shared)
        run.warnings.push_back("false sharing: " + line.text);
    if (lines > shared.size())
        run.warnings.push_back(fmt::format("false sharing: {} more lines", lines - shared.size()));
}

} // namespace

bool reports_no_hitm(const LineTally& tally) {
    const AccessCounts all = tally.all();
    return all.load_misses > 0 && all.hitm() == 0;
}

void put_hitm(const LineTally& tally, const HitmContext& context, Run& run) {
    const bool none = reports_no_hitm(tally);
    put_totals(tally, none, run);
    if (none)
        return;
    put_hottest(
        tally.lines(), "line", [&](std::uint64_t line) { return tally.map().line_text(line); }, run);
    put_hottest(
        tally.fields(), "field",
        [&](std::uint64_t address) { return tally.map().field_text(*tally.map().find(address)); }, run);
    put_hottest(
        tally.functions(), "function",
        [&](std::uint64_t ip) { return context.function ? context.function(ip) : std::string("?"); }, run);
    put_by_group(tally, context, run);
    put_homes(tally, context, run);
    put_warnings(tally, run);
}

} // namespace snapscope
