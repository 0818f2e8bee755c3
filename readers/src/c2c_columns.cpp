#include "c2c_columns.hpp"

#include <array>
#include <cstddef>
#include <string_view>

namespace snapscope {
namespace {

struct Known {
    std::string_view group, name; // as RuledTable tells them; an empty group fits any
    const char* ours;
};

// Of the table of lines; perf 4.10 to 6.x.
constexpr std::array line_columns{
    Known{"", "index", "index"},
    Known{"", "cacheline", "address"},
    Known{"cacheline", "address", "address"},
    Known{"", "records", "records"},
    Known{"rmt", "hitm", "rmt_hitm_pct"},
    Known{"tot", "hitm", "rmt_hitm_pct"},
    Known{"llc load hitm", "total", "hitm_total"},
    Known{"llc load hitm", "lcl", "hitm_lcl"},
    Known{"llc load hitm", "rmt", "hitm_rmt"},
    Known{"load hitm", "total", "hitm_total"},
    Known{"load hitm", "lclhitm", "hitm_lcl"},
    Known{"load hitm", "rmthitm", "hitm_rmt"},
    Known{"store reference", "total", "store_total"},
    Known{"store reference", "l1hit", "store_l1hit"},
    Known{"store reference", "l1miss", "store_l1miss"},
    Known{"stores", "l1hit", "store_l1hit"},
    Known{"stores", "l1miss", "store_l1miss"},
    Known{"load dram", "lcl", "dram_lcl"},
    Known{"load dram", "rmt", "dram_rmt"},
    Known{"load dram", "lcldram", "dram_lcl"},
    Known{"load dram", "rmtdram", "dram_rmt"},
    Known{"llc", "ld miss", "llc_ld_miss"},
    Known{"total", "loads", "loads"},
    Known{"total", "stores", "store_total"},
    Known{"core load hit", "fb", "fb"},
    Known{"core load hit", "l1", "l1"},
    Known{"core load hit", "l2", "l2"},
    Known{"llc load hit", "llc", "llc_hit"},
    Known{"llc load hit", "rmt", "rmt_hit"},
    Known{"llc load hit", "lclhit", "llc_hit"},
    Known{"rmt load hit", "rmthit", "rmt_hit"},
};

// Of the accesses of a line.
constexpr std::array access_columns{
    Known{"hitm", "rmt", "rmt_hitm_pct"},
    Known{"hitm", "lcl", "lcl_hitm_pct"},
    Known{"hitm", "rmthitm", "rmt_hitm_pct"},
    Known{"hitm", "lclhitm", "lcl_hitm_pct"},
    Known{"store refs", "l1 hit", "store_l1hit_pct"},
    Known{"store refs", "l1 miss", "store_l1miss_pct"},
    Known{"data address", "offset", "offset"},
    Known{"cycles", "rmt hitm", "cyc_rmt_hitm"},
    Known{"cycles", "lcl hitm", "cyc_lcl_hitm"},
    Known{"cycles", "load", "cyc_load"},
    Known{"cpu", "cnt", "cpu_count"},
    Known{"", "symbol", "symbol"},
    Known{"shared", "object", "object"},
    Known{"", "node", "node_cpus"},
    Known{"data address", "node", "home_node"},
};

template <std::size_t N> std::string ours(const std::string& column, const std::array<Known, N>& known) {
    const auto slash = column.find('/');
    const std::string group = column.substr(0, slash);
    const std::string name = column.substr(slash + 1);
    for (const Known& one : known)
        if (one.name == name && one.group == group)
            return one.ours;
    for (const Known& one : known)
        if (one.name == name && one.group.empty())
            return one.ours;
    return "";
}

} // namespace

std::string c2c_line_column(const std::string& column) {
    return ours(column, line_columns);
}

std::string c2c_access_column(const std::string& column) {
    return ours(column, access_columns);
}

} // namespace snapscope
