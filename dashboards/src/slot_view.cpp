#include "slot_view.hpp"

#include "evidence.hpp"

#include <snapscope/analyzer/metrics.hpp>
#include <snapscope/base/numbers.hpp>

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <numeric>

namespace snapscope {
namespace {

constexpr std::uint64_t line_bytes = 64;
constexpr std::size_t shown_rows = 400; // of the table; the rest is summed up

using Count = std::optional<std::uint64_t>;

const SlotSamples* sampled(const Slot& slot) {
    return slot.samples.empty() ? nullptr : &slot.samples.front();
}

// What is known of a slot, and by whom; empty source: whoever counted snapshots.
struct Column {
    const char *name, *source;
    Count (*of)(const Slot&);
};
constexpr std::array columns{
    Column{"taken", "", [](const Slot& s) { return s.taken; }},
    Column{"reused", "", [](const Slot& s) { return s.reused; }},
    Column{"rebuilt", "", [](const Slot& s) { return s.rebuilt; }},
    Column{"private scans", "", [](const Slot& s) { return s.private_scans; }},
    Column{"migrations", "sched", [](const Slot& s) { return s.migrations; }},
    Column{"seen with an xid", "mirror",
           [](const Slot& s) { return sampled(s) ? Count(sampled(s)->with_xid) : Count(); }},
    Column{"seen with an xmin", "mirror", [](const Slot& s) { return sampled(s) ? sampled(s)->with_xmin : Count(); }},
    Column{"seen to hold the horizon", "mirror",
           [](const Slot& s) { return sampled(s) ? sampled(s)->held_horizon : Count(); }},
};

// Of no slot is anything known: the column is left out, its source says why.
bool is_known(const Run& run, const Column& column) {
    return std::any_of(run.slots.begin(), run.slots.end(),
                       [&](const Slot& slot) { return column.of(slot).has_value(); });
}

float as_float(const std::optional<std::uint64_t>& value) {
    return value ? static_cast<float>(*value) : std::numeric_limits<float>::quiet_NaN();
}

std::int64_t run_time_ns(const Slot& slot) {
    return std::accumulate(slot.residency.begin(), slot.residency.end(), std::int64_t{0},
                           [](std::int64_t sum, const CpuShare& share) { return sum + share.run_ns; });
}

const CpuShare* main_cpu(const Slot& slot) {
    const auto at = std::max_element(slot.residency.begin(), slot.residency.end(),
                                     [](const CpuShare& a, const CpuShare& b) { return a.run_ns < b.run_ns; });
    return at == slot.residency.end() ? nullptr : &*at;
}

bool active(const Slot& slot) {
    return run_time_ns(slot) > 0 || std::any_of(columns.begin(), columns.end(),
                                                [&](const Column& column) { return column.of(slot).value_or(0) > 0; });
}

std::string count_or_unknown(const std::optional<std::uint64_t>& value) {
    return value ? grouped(*value) : "cannot tell";
}

Evidence evidence_for(const Run& run, const Column& column) {
    if (*column.source != '\0')
        return evidence_of(run.sources, column.source);
    const std::string source = snapshot_source(run);
    return evidence_of(run.sources, source.empty() ? "ring" : source);
}

nlohmann::json residency(Page& page, const Run& run) {
    std::vector<std::uint32_t> start{0};
    std::vector<std::uint32_t> cpus;
    std::vector<float> run_ns;
    for (const Slot& slot : run.slots) {
        for (const CpuShare& share : slot.residency) {
            cpus.push_back(share.cpu);
            run_ns.push_back(static_cast<float>(share.run_ns));
        }
        start.push_back(static_cast<std::uint32_t>(cpus.size()));
    }
    const Evidence evidence = evidence_of(run.sources, "sched");
    return {{"evidence", evidence_text(evidence)},
            {"kind", kind_word(evidence.kind)},
            {"start", page.pack.u32(start)},
            {"cpu", page.pack.u32(cpus)},
            {"run_ns", page.pack.f32(run_ns)}};
}

nlohmann::json topology(const Run& run) {
    nlohmann::json out = nlohmann::json::array();
    for (const Cpu& cpu : run.host.cpus)
        out.push_back({cpu.cpu, cpu.core, cpu.socket});
    return out;
}

nlohmann::json view_of(Page& page, const Run& run, const Array* array) {
    const auto& slots = run.slots;
    std::vector<std::uint32_t> number;
    std::vector<std::uint32_t> pid;
    std::vector<std::uint32_t> backend;
    nlohmann::json backends = nlohmann::json::array();
    std::map<std::string, std::uint32_t> known;
    for (const Slot& slot : slots) {
        number.push_back(slot.slot);
        pid.push_back(slot.pid.value_or(0));
        const std::string name = slot.backend.value_or("");
        const auto [at, fresh] = known.try_emplace(name, static_cast<std::uint32_t>(known.size()));
        if (fresh)
            backends.push_back(name);
        backend.push_back(at->second);
    }
    nlohmann::json metrics = nlohmann::json::array();
    for (const Column& column : columns) {
        if (!is_known(run, column))
            continue;
        std::vector<float> values;
        for (const Slot& slot : slots)
            values.push_back(as_float(column.of(slot)));
        const Evidence evidence = evidence_for(run, column);
        metrics.push_back({{"label", column.name},
                           {"evidence", evidence_text(evidence)},
                           {"kind", kind_word(evidence.kind)},
                           {"values", page.pack.f32(values)}});
    }
    nlohmann::json place = nullptr;
    if (array != nullptr)
        place = {{"name", array->name},
                 {"offset", array->address % line_bytes},
                 {"stride", array->stride_bytes},
                 {"entries", array->entries},
                 {"lines", array->lines}};
    return {{"view", "slots"},
            {"array", place},
            {"slot", page.pack.u32(number)},
            {"pid", page.pack.u32(pid)},
            {"backend", page.pack.u32(backend)},
            {"backends", backends},
            {"metrics", metrics},
            {"residency", residency(page, run)},
            {"cpus", topology(run)}};
}

std::string line_text(const Array* array, std::uint32_t slot) {
    if (array == nullptr || slot >= array->entries)
        return "cannot tell";
    const LineSpan span = lines_of(*array, slot);
    return span.first == span.last ? std::to_string(span.first)
                                   : std::to_string(span.first) + " and " + std::to_string(span.last);
}

std::string place_text(const Run& run, const Slot& slot) {
    const CpuShare* most = main_cpu(slot);
    const std::int64_t all = run_time_ns(slot);
    if (most == nullptr || all <= 0)
        return "cannot tell";
    std::string out =
        fmt::format("CPU {} ({:.0f} %)", most->cpu, 100 * static_cast<double>(most->run_ns) / static_cast<double>(all));
    for (const Cpu& cpu : run.host.cpus)
        if (cpu.cpu == most->cpu)
            out += fmt::format(", core {}, socket {}", cpu.core, cpu.socket);
    return out;
}

void write_table(Page& page, const Run& run, const Array* array) {
    const Folded folded(page.html, "Slots as a table");
    std::vector<const Slot*> busy;
    for (const Slot& slot : run.slots)
        if (active(slot))
            busy.push_back(&slot);
    std::stable_sort(busy.begin(), busy.end(),
                     [](const Slot* a, const Slot* b) { return a->taken.value_or(0) > b->taken.value_or(0); });
    const std::size_t shown = std::min(busy.size(), shown_rows);
    {
        std::vector<std::string> heads{"slot", "#line", "#pid", "backend"};
        for (const Column& column : columns)
            if (is_known(run, column))
                heads.push_back(std::string("#") + column.name);
        heads.emplace_back("mostly on");
        TableWriter table(page.html, "Slots that did something, the busiest first", heads);
        for (std::size_t i = 0; i < shown; ++i) {
            const Slot& slot = *busy[i];
            std::vector<std::string> cells{std::to_string(slot.slot), line_text(array, slot.slot),
                                           slot.pid ? std::to_string(*slot.pid) : "free at the end",
                                           slot.backend.value_or("cannot tell")};
            for (const Column& column : columns)
                if (is_known(run, column))
                    cells.push_back(count_or_unknown(column.of(slot)));
            cells.push_back(place_text(run, slot));
            table.row(cells);
        }
    }
    page.html.leaf("p",
                   fmt::format("{} more did something; {} had an owner and did nothing.", grouped(busy.size() - shown),
                               grouped(run.slots.size() - busy.size())),
                   {{"class", "faint"}});
}

} // namespace

const Array* slot_array(const Run& run) {
    for (const Array& array : run.layout.arrays)
        if (array.name == "PGXACT" && array.stride_bytes > 0 && array.stride_bytes <= 2 * line_bytes &&
            array.entries > 0 && array.entries <= (1U << 20U))
            return &array;
    return nullptr;
}

LineSpan lines_of(const Array& array, std::uint32_t slot) {
    const std::uint64_t start = array.address % line_bytes + slot * array.stride_bytes;
    return {start / line_bytes, (start + array.stride_bytes - 1) / line_bytes};
}

void write_slots(Page& page, const Run& run, const std::string& id) {
    const Section section(page, id, "Slot map",
                          "Which backends take snapshots, who shares a cache line with whom, and where do they run?");
    if (run.slots.empty()) {
        constexpr std::array<std::string_view, 2> from{"ring", "mirror"};
        write_absent(page.html, run, "no source told the slots apart", from);
        return;
    }
    const Array* array = slot_array(run);
    page.html.leaf(
        "p",
        array != nullptr
            ? fmt::format("{}: {} entries of {} bytes on {} lines of 64; {} entries lie on two lines.", array->name,
                          grouped(array->entries), array->stride_bytes, grouped(array->lines),
                          grouped(array->straddling_entries))
            : std::string("A slot has no line of its own that this run knows: from PostgreSQL 14 on the "
                          "scanned arrays are packed anew as backends come and go. Cells are slots in order."),
        {{"class", "faint"}});
    page.html.leaf("div", "", {{"data-view", page.add_view(view_of(page, run, array))}});
    write_table(page, run, array);
}

} // namespace snapscope
