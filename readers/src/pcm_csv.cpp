// pcm -csv: a row of groups, a row of names, then a row an interval.  Until
// 2020 a group's name stands over its first column alone; until 2019 ';'
// separates.  A separator ends each row; the newline is written before a row, so
// the last row of a file that was still being written has none.
#include "pcm_columns.hpp"
#include "pcm_parts.hpp"

#include <snapscope/base/number_cell.hpp>
#include <snapscope/base/text.hpp>
#include <snapscope/recording/wall_clock.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace snapscope {
namespace {

using Cells = std::vector<std::string>;

Cells cells_of(std::string_view line, char separator) {
    Cells out = split(line, separator);
    for (std::string& cell : out)
        cell = std::string(trim(cell));
    return out;
}

bool is_name_row(const Cells& cells) {
    return std::find(cells.begin(), cells.end(), "Date") != cells.end() ||
           std::find(cells.begin(), cells.end(), "Time") != cells.end() ||
           std::find(cells.begin(), cells.end(), "EXEC") != cells.end();
}

struct Header {
    char separator = ',';
    std::vector<std::string> groups, names; // one a column, groups carried on
    bool trailing = false;                  // a separator ends the row of names
};

// Both rows, or nullopt where this line and the next are none.
std::optional<Header> header_of(std::string_view first, std::string_view second) {
    for (const char separator : {';', ','}) {
        Cells groups = cells_of(first, separator);
        Cells names = cells_of(second, separator);
        if (names.size() < 3 || !is_name_row(names) || groups.empty() || groups.front() != "System")
            continue;
        Header out;
        out.separator = separator;
        out.trailing = names.back().empty();
        while (!names.empty() && names.back().empty())
            names.pop_back();
        groups.resize(names.size());
        for (std::size_t i = 1; i < groups.size(); ++i)
            if (groups[i].empty())
                groups[i] = groups[i - 1];
        out.groups = std::move(groups);
        out.names = std::move(names);
        return out;
    }
    return std::nullopt;
}

// "2021-10-04" and "12:00:01.234", local to the machine.
std::optional<std::int64_t> time_of(const std::string& date, const std::string& time) {
    return parse_wall_time(date + "T" + time + "Z");
}

class Reader {
  public:
    Reader(Header header, const std::string& label) : header_(std::move(header)), label_(label) {
        out_.dialect = fmt::format("csv '{}'", header_.separator);
    }

    Status assign_columns() {
        std::map<std::string, std::size_t> seen;
        bool percents = false;
        for (std::size_t i = 0; i < header_.names.size(); ++i) {
            const std::string& group = header_.groups[i];
            const std::string& name = header_.names[i];
            if (name == "Date" || name == "Time") {
                (name == "Date" ? date_ : time_) = i;
                continue;
            }
            const auto meaning = pcm_meaning(group, name);
            percents = percents || is_link_percent(group);
            if (!meaning) {
                out_.ignored.push_back(group + " " + name);
                continue;
            }
            if (!seen.emplace(meaning->name, i).second)
                return fail(fmt::format("{}: two columns are {} {}", label_, group, name),
                            "a column is told by group and name: remove one");
            columns_.push_back({i, meaning->scale});
            out_.series.push_back({meaning->name, meaning->unit, group + " " + name, {}});
        }
        if (percents)
            out_.notes.push_back(label_ + ": percent columns of links are whole numbers and not used; bytes are");
        return {};
    }

    void take(const PcmLine& line) {
        if (trim(line.text).empty())
            return;
        Cells cells = cells_of(line.text, header_.separator);
        if (repeats_header(cells)) {
            if (!said_repeat_)
                out_.notes.push_back(fmt::format("{}: line {} repeats the header: passed over", label_, line.number));
            said_repeat_ = true;
            return;
        }
        const std::size_t columns = header_.names.size();
        const bool whole = header_.trailing ? cells.size() > columns : cells.size() >= columns && line.ended;
        if (!line.ended && !whole)
            return lose(line, "the last line is cut off");
        if (cells.size() < columns)
            return lose(line, fmt::format("{} cells under {} columns", cells.size(), columns));
        for (std::size_t i = columns; i < cells.size(); ++i)
            if (!cells[i].empty())
                return lose(line, fmt::format("{} cells under {} columns", cells.size(), columns));
        take_row(cells, line);
    }

    PcmRecording finish() {
        for (const auto& [reason, count] : gaps_)
            out_.notes.push_back(fmt::format("{}: {} {}: a gap each", label_, count, reason));
        if (!date_ || !time_)
            out_.notes.push_back(label_ + ": no columns Date and Time: when a row was written is not known");
        return std::move(out_);
    }

  private:
    struct Column {
        std::size_t place;
        double scale;
    };

    [[nodiscard]] bool repeats_header(const Cells& cells) const {
        return cells.size() >= header_.names.size() &&
               (std::equal(header_.names.begin(), header_.names.end(), cells.begin()) || cells.front() == "System");
    }
    void lose(const PcmLine& line, const std::string& why) {
        ++out_.rows_lost;
        if (out_.rows_lost <= 3)
            out_.notes.push_back(fmt::format("{}: line {}: {}: left out", label_, line.number, why));
    }
    void take_row(const Cells& cells, const PcmLine& line) {
        std::optional<std::int64_t> time;
        if (date_ && time_) {
            time = time_of(cells[*date_], cells[*time_]);
            if (!time && !(cells[*date_].empty() && cells[*time_].empty()))
                out_.notes.push_back(
                    fmt::format("{}: line {}: '{} {}' is no time", label_, line.number, cells[*date_], cells[*time_]));
        }
        out_.time_ns.push_back(time);
        for (std::size_t i = 0; i < columns_.size(); ++i)
            out_.series[i].values.push_back(count_in(cells[columns_[i].place], columns_[i].scale));
    }
    std::optional<double> count_in(const std::string& cell, double scale) {
        const NumberCell number = read_number(cell);
        if (number.is_number() && number.value >= 0)
            return number.value * scale;
        ++out_.gaps;
        switch (number.kind) {
        case CellKind::number:
            ++gaps_["counts below 0 (pcm writes -1.00 for none)"];
            break;
        case CellKind::blank:
            ++gaps_["blank cells"];
            break;
        case CellKind::localised:
            ++gaps_["localised numbers (write a decimal point)"];
            break;
        case CellKind::no_number:
        case CellKind::word:
            ++gaps_["cells without a number"];
            break;
        }
        return std::nullopt;
    }

    Header header_;
    const std::string& label_;
    PcmRecording out_;
    std::vector<Column> columns_;
    std::optional<std::size_t> date_, time_;
    std::map<std::string, std::size_t> gaps_;
    bool said_repeat_ = false;
};

} // namespace

std::optional<Result<PcmRecording>> read_pcm_csv(std::string_view text, const std::string& label) {
    PcmLines lines(text);
    std::optional<Header> header;
    auto before = lines.next();
    while (before && !header) {
        const auto line = lines.next();
        if (!line)
            return std::nullopt;
        header = header_of(before->text, line->text);
        before = line;
    }
    if (!header)
        return std::nullopt;
    Reader reader(std::move(*header), label);
    if (const auto assigned = reader.assign_columns(); !assigned)
        return Result<PcmRecording>(fail(assigned.error()));
    while (const auto line = lines.next())
        reader.take(*line);
    return reader.finish();
}

} // namespace snapscope
