// pcm's screen: a table of links, once an interval.
//
//   Intel(r) UPI data traffic estimation in bytes (data traffic coming to CPU/socket through UPI links):
//                  UPI0     UPI1     UPI2     |  UPI0   UPI1   UPI2
//   ------------------------------------------------------------------
//    SKT    0     4411 K   4366 K   4521 K    |    0%     0%     0%
//
// and the same as a CSV: sample, socket, upi0, ..., util0_pct, ...
#include "pcm_parts.hpp"

#include <snapscope/base/csv.hpp>
#include <snapscope/base/number_cell.hpp>
#include <snapscope/base/text.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <sstream>

namespace snapscope {
namespace {

// Series that grow row by row; what a row does not name is a gap there.
class Table {
  public:
    void begin_row() { ++rows_; }
    // Of the row that was begun last.
    void put(const std::string& name, const std::string& column, std::optional<double> value) {
        const auto [at, fresh] = index_.emplace(name, series_.size());
        if (fresh)
            series_.push_back({name, "bytes", column, {}});
        auto& values = series_[at->second].values;
        values.resize(rows_);
        values.back() = value;
    }
    PcmRecording finish(std::string dialect) {
        PcmRecording out;
        out.dialect = std::move(dialect);
        out.time_ns.resize(rows_);
        for (PcmSeries& series : series_) {
            series.values.resize(rows_);
            out.gaps += static_cast<std::size_t>(std::count(series.values.begin(), series.values.end(), std::nullopt));
        }
        out.series = std::move(series_);
        out.truncated_figures = true;
        out.notes.emplace_back("figures are cut to their unit: 17 M is anything from 17000000 to 17999999");
        out.notes.emplace_back("the interval is not stated: 1 s is taken");
        return out;
    }

  private:
    std::map<std::string, std::size_t> index_;
    std::vector<PcmSeries> series_;
    std::size_t rows_ = 0;
};

// "4411 K   17 M   0" -> figures with their suffixes.
std::vector<std::string> figures(std::string_view text) {
    std::istringstream in{std::string(text)};
    std::vector<std::string> out;
    for (std::string word; in >> word;) {
        const bool suffix = word.size() == 1 && std::string_view("KMGT").find(word) != std::string_view::npos;
        if (suffix && !out.empty())
            out.back() += " " + word;
        else
            out.push_back(word);
    }
    return out;
}

const char* direction_of(std::string_view line) {
    return line.find("outgoing") != std::string_view::npos ? "out" : "in";
}

bool is_link_header(std::string_view line) {
    line = trim(line);
    return line.starts_with("UPI0") || line.starts_with("QPI0");
}

void lose(PcmRecording& into, const std::string& label, std::size_t line, const std::string& why) {
    ++into.rows_lost;
    if (into.rows_lost <= 3)
        into.notes.push_back(fmt::format("{}: line {}: {}: left out", label, line, why));
}

} // namespace

std::optional<Result<PcmRecording>> read_pcm_screen(std::string_view text, const std::string& label) {
    PcmLines lines(text);
    Table table;
    PcmRecording lost; // collects what is left out
    std::size_t links = 0;
    std::string direction = "in";
    std::set<std::string> seen; // directions of the row that is being read
    bool found = false;
    while (const auto line = lines.next()) {
        const std::string_view content = trim(line->text);
        if (content.find("traffic estimation in bytes") != std::string_view::npos)
            direction = direction_of(content);
        if (is_link_header(content)) {
            links = figures(content.substr(0, content.find('|'))).size();
            if (!found || !seen.insert(direction).second) {
                table.begin_row();
                seen = {direction};
            }
            found = true;
            continue;
        }
        if (!content.starts_with("SKT") || links == 0)
            continue;
        const auto bar = content.find('|');
        const auto cells = figures(content.substr(3, bar == std::string_view::npos ? bar : bar - 3));
        const auto socket = cells.empty() ? std::nullopt : parse_integer<unsigned>(cells.front());
        if (!socket || cells.size() != links + 1 || (!line->ended && bar == std::string_view::npos)) {
            lose(lost, label, line->number, fmt::format("a row of {} links is not whole", links));
            continue;
        }
        for (std::size_t link = 0; link < links; ++link)
            table.put(fmt::format("upi_{}_bytes_socket{}_link{}", direction, socket.value_or(0), link),
                      fmt::format("SKT {} UPI{} ({})", socket.value_or(0), link, direction),
                      pcm_screen_number(cells[link + 1]));
    }
    if (!found)
        return std::nullopt;
    PcmRecording out = table.finish("screen");
    out.rows_lost = lost.rows_lost;
    out.notes.insert(out.notes.end(), lost.notes.begin(), lost.notes.end());
    return out;
}

std::optional<Result<PcmRecording>> read_pcm_link_table(std::string_view text, const std::string& label) {
    CsvReader reader(text, detect_separator(text));
    if (!reader.more())
        return std::nullopt;
    const auto header = reader.next();
    if (!header || header->cells.front() != "sample")
        return std::nullopt;
    struct Column {
        std::size_t place;
        std::string name; // link number, or a total's name
    };
    std::vector<Column> columns;
    std::optional<std::size_t> socket;
    for (std::size_t i = 1; i < header->cells.size(); ++i) {
        const std::string& name = header->cells[i];
        if (name == "socket")
            socket = i;
        else if ((name.starts_with("upi") || name.starts_with("qpi")) && parse_integer<unsigned>(name.substr(3)))
            columns.push_back({i, name.substr(3)});
        else if (name == "total_in_M" || name == "total_out_M")
            columns.push_back({i, name == "total_in_M" ? "in" : "out"});
    }
    Table table;
    PcmRecording lost;
    std::optional<std::string> sample; // the row that is being read
    while (reader.more()) {
        const std::size_t line = reader.line();
        const auto record = reader.next();
        if (!record)
            return Result<PcmRecording>(fail(fmt::format("{}: line {}: a quoted cell does not end well", label, line)));
        if (record->cells == header->cells)
            continue;
        const std::string number = socket && *socket < record->cells.size() ? record->cells[*socket] : "";
        if (record->cells.size() != header->cells.size() || !record->ended ||
            (socket && !parse_integer<unsigned>(number))) {
            lose(lost, label, line, record->ended ? "the row does not fit the header" : "the last line may be cut off");
            continue;
        }
        if (sample != record->cells.front())
            table.begin_row();
        sample = record->cells.front();
        for (const Column& column : columns) {
            auto value = pcm_screen_number(record->cells[column.place]);
            if (!socket && value)
                value = *value * 1e6; // of a column in M
            const std::string name = socket ? fmt::format("upi_bytes_socket{}_link{}", number, column.name)
                                            : fmt::format("upi_{}_bytes", column.name);
            table.put(name, header->cells[column.place] + (socket ? fmt::format(" of socket {}", number) : ""), value);
        }
    }
    PcmRecording out = table.finish("link table");
    out.rows_lost = lost.rows_lost;
    out.notes.insert(out.notes.end(), lost.notes.begin(), lost.notes.end());
    return out;
}

} // namespace snapscope
