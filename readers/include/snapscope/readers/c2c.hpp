// A report of `perf c2c report --stdio`: totals, shared lines, and who touches
// which offset of a line.  Used by `import c2c`.
//
// Columns are told by the group and the name above the dotted rule, in the
// wordings of perf 4 to 6; a cell that is blank or no number is absent.
#pragma once

#include <snapscope/base/result.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace snapscope {

// Names of both tables' columns in our words: records, hitm_total, hitm_lcl,
// hitm_rmt, store_total, store_l1hit, store_l1miss, dram_lcl, dram_rmt,
// llc_ld_miss, loads, fb, l1, l2, llc_hit, rmt_hit, rmt_hitm_pct; in the
// accesses rmt_hitm_pct, lcl_hitm_pct, store_l1hit_pct, store_l1miss_pct,
// cyc_rmt_hitm, cyc_lcl_hitm, cyc_load, cpu_count.
using C2cFigures = std::map<std::string, double>;

struct C2cLine {
    std::uint32_t index = 0;
    std::uint64_t address = 0; // of the cache line
    C2cFigures figures;
};

struct C2cAccess {
    std::uint32_t line = 0;   // its C2cLine's index
    std::uint64_t offset = 0; // within the line
    C2cFigures figures;
    std::string symbol, object;
    std::map<std::uint32_t, std::vector<std::uint32_t>> cpus; // by node; empty: not told
};

struct C2cReport {
    std::map<std::string, double> totals; // by perf's label, e.g. "Load Remote HITM"
    std::vector<C2cLine> lines;
    std::vector<C2cAccess> accesses;
    std::vector<std::string> notes; // what was left out or does not add up
    std::size_t rows_lost = 0;

    // The total with one of perf's labels; nullopt where it is not there.
    [[nodiscard]] std::optional<double> total(std::string_view label) const;
    [[nodiscard]] std::optional<double> local_hitm() const;
    [[nodiscard]] std::optional<double> remote_hitm() const;
    // Loads that missed, and not one HITM: this processor reports none (ARM's
    // SPE, some of AMD's IBS).  That says nothing about transfers.
    [[nodiscard]] bool reports_no_hitm() const;
};

// Fails where there is no section of a report.
[[nodiscard]] Result<C2cReport> read_c2c(std::string_view text, const std::string& label);

} // namespace snapscope
