#include "case_file.hpp"

namespace snapscope::test {
namespace {

constexpr const char* bar = "=================================================\n";

std::string title(const char* text) {
    return std::string(bar) + fmt::format("{:^49}\n", text) + bar;
}

void add_totals(std::string& out) {
    out += title("Trace Event Information");
    for (auto& row : case_rows("h03-c2c-4node-totals.csv")) {
        if (row["counter"] == "Total Shared Cache Lines")
            out += "\n" + title("Global Shared Cache Line Event Information");
        out += fmt::format("  {:<34}: {:>10}\n", row["counter"], row["value"]);
    }
}

void add_lines(std::string& out) {
    out += "\n" + title("Shared Data Cache Line Table");
    out += "#\n"
           "#                              Total      Rmt  ----- LLC Load Hitm -----  ---- Store Reference ----  "
           "--- Load Dram ----      LLC    Total  ----- Core Load Hit -----  -- LLC Load Hit --\n"
           "# Index           Cacheline  records     Hitm    Total      Lcl      Rmt    Total    L1Hit   L1Miss       "
           "Lcl       Rmt  Ld Miss    Loads       FB       L1       L2       Llc       Rmt\n"
           "# .....  ..................  .......  .......  .......  .......  .......  .......  .......  .......  "
           "........  ........  .......  .......  .......  .......  .......  ........  ........\n#\n";
    for (auto& row : case_rows("h03-c2c-4node-lines.csv"))
        out +=
            fmt::format("  {:>5}  {:>18}  {:>7}  {:>7}  {:>7}  {:>7}  {:>7}  {:>7}  {:>7}  {:>7}  {:>8}  {:>8}  {:>7}  "
                        "{:>7}  {:>7}  {:>7}  {:>7}  {:>8}  {:>8}\n",
                        row["index"], row["line_addr"], row["records"], row["rmt_hitm_pct"] + "%", row["hitm_total"],
                        row["hitm_lcl"], row["hitm_rmt"], row["store_total"], row["store_l1hit"], row["store_l1miss"],
                        row["dram_lcl"], row["dram_rmt"], row["llc_ld_miss"], row["loads"], row["fb"], row["l1"],
                        row["l2"], row["llc_hit"], row["rmt_hit"]);
}

void add_accesses(std::string& out) {
    out += "\n" + title("Shared Cache Line Distribution Pareto");
    out += "#\n"
           "#        ----- HITM -----  -- Store Refs --        Data address  ---------- cycles ----------       cpu\n"
           "#   Num      Rmt      Lcl   L1 Hit  L1 Miss              Offset  rmt hitm  lcl hitm      load       cnt  "
           "                           Symbol  Node\n"
           "# .....  .......  .......  .......  .......  ..................  ........  ........  ........  ........  "
           "...............................  ....\n#\n";
    auto lines = case_rows("h03-c2c-4node-lines.csv");
    std::string last;
    for (auto& row : case_rows("h03-c2c-4node-pareto.csv")) {
        if (row["line"] != last) {
            auto& line = lines.at(std::stoul(row["line"]));
            const std::string rule = "  -------------------------------------------------------------\n";
            out += rule +
                   fmt::format("  {:>5}  {:>7}  {:>7}  {:>7}  {:>7}  {:>18}\n", row["line"], line["hitm_rmt"],
                               line["hitm_lcl"], line["store_l1hit"], line["store_l1miss"], line["line_addr"]) +
                   rule;
        }
        last = row["line"];
        out += fmt::format("         {:>7}  {:>7}  {:>7}  {:>7}  {:>18}  {:>8}  {:>8}  {:>8}  {:>8}  {:<31}  {}\n",
                           row["rmt_hitm_pct"] + "%", row["lcl_hitm_pct"] + "%", row["store_l1hit_pct"] + "%",
                           row["store_l1miss_pct"] + "%", row["offset"], row["cyc_rmt_hitm"], row["cyc_lcl_hitm"],
                           row["cyc_load"], row["cpu_count"], fmt::format("[{}] {}", row["space"], row["symbol"]),
                           row["node_cpus"]);
    }
}

} // namespace

std::string c2c_report() {
    std::string out;
    add_totals(out);
    add_lines(out);
    add_accesses(out);
    return out;
}

std::string pcm_csv(const PcmDialect& dialect, int rows) {
    std::vector<std::pair<std::string, std::string>> columns{
        {"System", "Date"}, {"System", "Time"},       {"System", "EXEC"},   {"System", "L3MISS"},
        {"System", "READ"}, {"System", "TotalUPIin"}, {"System", "UPItoMC"}};
    for (const char* direction : {"dataIn", "dataIn (percent)", "trafficOut", "trafficOut (percent)"})
        for (int socket = 0; socket < 2; ++socket)
            for (int link = 0; link < dialect.links; ++link)
                columns.emplace_back(fmt::format("SKT{}{}", socket, direction), fmt::format("UPI{}", link));
    std::string groups;
    std::string names;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const bool shown = dialect.repeat_groups || i == 0 || columns[i].first != columns[i - 1].first;
        groups += (shown ? columns[i].first : "") + dialect.separator;
        names += columns[i].second + dialect.separator;
    }
    std::string out = groups + "\n" + names;
    for (int row = 0; row < rows; ++row) { // the line end is written before a row
        out += "\n";
        int number = 0;
        for (const auto& [group, name] : columns) {
            if (name == "Date")
                out += "2024-05-01";
            else if (name == "Time")
                out += fmt::format("12:00:{:02}.000", row);
            else if (group.ends_with("(percent)"))
                out += "  0%";
            else
                out += fmt::format("{}.5", ++number + 100 * row);
            out += dialect.separator;
        }
    }
    return out;
}

std::string pcm_screen() {
    std::string out;
    std::string last;
    for (auto& row : case_rows("h06-upi-pingpong-links.csv")) {
        if (row["sample"] != last)
            out += "\nIntel(r) UPI data traffic estimation in bytes (data traffic coming to CPU/socket through UPI "
                   "links):\n\n"
                   "               UPI0     UPI1     UPI2     UPI3    |  UPI0   UPI1   UPI2   UPI3  \n"
                   "---------------------------------------------------------------------------\n";
        last = row["sample"];
        out += fmt::format(" SKT    {}   {:>8}   {:>8}   {:>8}   {:>8}    |    {}%     {}%     {}%     {}%\n",
                           row["socket"], row["upi0"], row["upi1"], row["upi2"], row["upi3"], row["util0_pct"],
                           row["util1_pct"], row["util2_pct"], row["util3_pct"]);
    }
    return out;
}

} // namespace snapscope::test
