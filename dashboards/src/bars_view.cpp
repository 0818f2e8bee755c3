#include "bars_view.hpp"

#include "evidence.hpp"
#include "svg.hpp"

#include <snapscope/base/numbers.hpp>
#include <snapscope/recording/run_folder.hpp>

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace snapscope {
namespace {

constexpr double bar_width = 200;

void write_bar(Html& html, double share) {
    const auto svg = html.element(
        "svg", {{"class", "bar-of"}, {"viewBox", "0 0 " + at(bar_width) + " 10"}, {"aria-hidden", "true"}});
    html.single("rect", {{"x", "0"}, {"y", "1"}, {"width", at(share * bar_width)}, {"height", "8"}});
}

std::string spaced(std::string name) {
    std::replace(name.begin(), name.end(), '_', ' ');
    return name;
}

std::string losses_text(const SourceStatus& source) {
    std::string out;
    for (const NamedCount& way : source.losses)
        out += (out.empty() ? "" : ", ") + spaced(way.name) + " " + grouped(way.count);
    return out;
}

void write_source(Html& html, const SourceStatus& source) {
    const auto row = html.element("tr", {{"class", to_string(source.state)}});
    html.leaf("th", source.name, {{"scope", "row"}});
    {
        const auto cell = html.element("td");
        const auto tag = html.element("span", {{"class", "evidence"}});
        write_glyph(html, source.kind);
        html.text(to_string(source.kind));
    }
    {
        const auto cell = html.element("td");
        html.leaf("span", to_string(source.state), {{"class", std::string("state ") + to_string(source.state)}});
    }
    if (source.state == SourceState::unavailable) {
        html.leaf("td", "unavailable", {{"class", "n hatch"}});
        html.leaf("td", "unavailable", {{"class", "n hatch"}});
    } else {
        html.leaf("td", grouped(source.records), {{"class", "n"}});
        html.leaf("td", grouped(source.lost), {{"class", source.lost > 0 ? "n warn" : "n"}});
    }
    const auto cell = html.element("td", {{"class", "t"}});
    std::string why = losses_text(source);
    for (const std::string& part : {source.reason, source.hint})
        if (!part.empty())
            why += (why.empty() ? "" : "; ") + part;
    html.isolated(why);
}

std::string or_unknown(const auto& value) {
    return value ? fmt::format("{}", *value) : std::string("cannot tell");
}

void write_pairs(Html& html, std::string_view caption, const std::vector<std::pair<std::string, std::string>>& pairs) {
    TableWriter table(html, caption, {"name", "value"});
    for (const auto& [name, value] : pairs)
        table.row({name, value});
}

void write_totals(Html& html, const Run& run) {
    TableWriter table(html, "Every total of the run", {"name", "evidence", "#value", "unit"});
    for (const Total& total : run.totals)
        table.row({total.name, evidence_text(evidence_of(run.sources, total.source)),
                   total.value ? std::to_string(*total.value) : "cannot tell", total.unit});
}

} // namespace

void write_invalidations(Page& page, const Run& run, const Summary& summary, const std::string& id) {
    const Section section(page, id, "Invalidations", "What made cached snapshots stale, and how often?");
    const InvalidationSummary& i = summary.invalidations;
    Html& html = page.html;
    if (!i.total) {
        constexpr std::array<std::string_view, 2> from{"ring", "ebpf"};
        write_absent(html, run, "no source counted invalidations", from);
        return;
    }
    {
        const auto line = html.element("p");
        html.leaf("data", grouped(*i.total), {{"value", std::to_string(*i.total)}}).text(" in all ");
        write_evidence(html, evidence_of(run.sources, summary.snapshots.source));
    }
    if (i.by_reason.empty())
        return;
    const auto box = html.element("div", {{"class", "scroll"}});
    const auto table = html.element("table", {{"class", "bars"}});
    html.leaf("caption", "By reason, most frequent first");
    {
        const auto head = html.element("thead");
        const auto row = html.element("tr");
        html.leaf("th", "reason", {{"scope", "col"}});
        html.leaf("th", "count", {{"scope", "col"}, {"class", "n"}});
        html.leaf("th", "share", {{"scope", "col"}, {"class", "n"}});
        html.leaf("td", "");
    }
    for (const NamedCount& reason : i.by_reason) {
        const auto row = html.element("tr");
        html.leaf("th", spaced(reason.name), {{"scope", "row"}});
        html.leaf("td", grouped(reason.count), {{"class", "n"}});
        html.leaf("td", percent_text(reason.count, i.total), {{"class", "n"}});
        const auto cell = html.element("td");
        write_bar(html, static_cast<double>(reason.count) / static_cast<double>(i.by_reason.front().count));
    }
}

void write_sources(Page& page, const Run& run, const std::string& id) {
    const Section section(page, id, "Sources", "Who says all this, what was lost, and what could not be had?");
    Html& html = page.html;
    const auto box = html.element(
        "div", {{"class", "scroll"}, {"role", "region"}, {"tabindex", "0"}, {"aria-label", "Sources of this run"}});
    const auto table = html.element("table", {{"class", "sources"}});
    html.leaf("caption", "Sources of this run");
    {
        const auto head = html.element("thead");
        const auto row = html.element("tr");
        for (const char* column : {"source", "evidence", "state"})
            html.leaf("th", column, {{"scope", "col"}});
        for (const char* column : {"records", "lost"})
            html.leaf("th", column, {{"scope", "col"}, {"class", "n"}});
        html.leaf("th", "why, and what to do", {{"scope", "col"}});
    }
    for (const SourceStatus& source : run.sources)
        write_source(html, source);
}

void write_about(Page& page, const Run& run, const std::string& id) {
    const Section section(page, id, "About this run", "Which server, which machine, which load?");
    Html& html = page.html;
    const Server& server = run.server;
    write_pairs(html, "Server",
                {{"PostgreSQL", server.version},
                 {"snapshot_cache", server.snapshot_cache},
                 {"max_connections", or_unknown(server.max_connections)},
                 {"backends at the start", or_unknown(server.backends)},
                 {"port", or_unknown(server.port)},
                 {"data folder", or_unknown(server.pgdata)},
                 {"build id", or_unknown(server.build_id)}});
    write_pairs(html, "Host",
                {{"name", run.host.name},
                 {"CPU", run.host.cpu_model},
                 {"CPUs", std::to_string(run.host.cpus.size())},
                 {"kernel", run.host.kernel},
                 {"hypervisor", or_unknown(run.host.hypervisor)},
                 {"memory", grouped(run.host.memory_bytes >> 20U) + " MiB"}});
    if (run.workload) {
        const Workload& load = *run.workload;
        write_pairs(html, "Load",
                    {{"command", load.command},
                     {"valid", load.valid ? "yes" : "no: its figures must not be compared"},
                     {"clients", or_unknown(load.clients)},
                     {"transactions", or_unknown(load.transactions)},
                     {"failed", or_unknown(load.transactions_failed)},
                     {"latency", load.latency_ms ? number(*load.latency_ms) + " ms" : "cannot tell"},
                     {"exit status", or_unknown(load.exit_status)}});
    }
    const Folded folded(html, "Settings, layout and every total");
    if (!server.settings.empty()) {
        TableWriter table(html, "Settings", {"name", "value"});
        for (const Setting& setting : server.settings)
            table.row({setting.name, setting.value});
    }
    if (!run.layout.arrays.empty()) {
        TableWriter table(html, "Arrays in shared memory",
                          {"array", "#address", "#bytes an entry", "#entries", "#lines", "#straddling entries"});
        for (const Array& array : run.layout.arrays)
            table.row({array.name, fmt::format("0x{:x}", array.address), grouped(array.stride_bytes),
                       grouped(array.entries), grouped(array.lines), grouped(array.straddling_entries)});
    }
    write_totals(html, run);
    write_pairs(html, "Recording",
                {{"run", run.id},
                 {"tool", run.tool_version},
                 {"events", run.events ? "recorded" : "not recorded"},
                 {"round", run.pairing ? std::to_string(run.pairing->round) : "not one of alternating runs"}});
}

} // namespace snapscope
