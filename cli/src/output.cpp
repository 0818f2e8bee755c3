#include "output.hpp"

#include "escape.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace snapscope::cli {
namespace {

const char* escape_sequence(Tone tone) {
    switch (tone) {
    case Tone::strong:
        return "\033[1m";
    case Tone::faint:
        return "\033[2m";
    case Tone::good:
        return "\033[32m";
    case Tone::bad:
        return "\033[31m";
    case Tone::warn:
        return "\033[33m";
    case Tone::plain:
        break;
    }
    return "";
}

bool set(const char* variable) {
    const char* value = std::getenv(variable);
    return value != nullptr && *value != '\0';
}

std::string pad(const std::string& cell, std::size_t width, Table::Align align) {
    const std::string blanks(width - std::min(width, display_width(cell)), ' ');
    return align == Table::Align::right ? blanks + cell : cell + blanks;
}

} // namespace

bool Terminal::colored() const {
    if (color != ColorMode::automatic)
        return color == ColorMode::always;
    const char* term = std::getenv("TERM");
    const bool dumb = term != nullptr && std::string_view(term) == "dumb";
    return !set("NO_COLOR") && !dumb && ::isatty(STDOUT_FILENO) == 1;
}

std::string Terminal::paint(std::string_view text, Tone tone) const {
    if (tone == Tone::plain || !colored())
        return std::string(text);
    return fmt::format("{}{}\033[0m", escape_sequence(tone), text);
}

void Terminal::note(std::string_view text) const {
    if (!quiet)
        fmt::print(stderr, "{}{}{}\n", escape_terminal(label), label.empty() ? "" : ": ", escape_terminal(text));
}

void Terminal::detail(std::string_view text) const {
    if (verbosity > 0)
        note(text);
}

void Table::add(std::vector<std::string> cells, Tone tone) {
    cells.resize(columns_.size());
    rows_.push_back({std::move(cells), tone});
}

std::string Table::text(const Terminal& terminal, std::string_view indent) const {
    std::vector<std::size_t> widths;
    for (const Column& column : columns_)
        widths.push_back(display_width(column.name));
    std::vector<std::vector<std::string>> cells;
    for (const Row& row : rows_) {
        auto& line = cells.emplace_back();
        for (std::size_t i = 0; i < row.cells.size(); ++i) {
            line.push_back(escape_terminal(row.cells[i]));
            widths[i] = std::max(widths[i], display_width(line.back()));
        }
    }
    const auto render = [&](const std::vector<std::string>& line, Tone tone) {
        std::string out(indent);
        for (std::size_t i = 0; i < line.size(); ++i)
            out += (i == 0 ? "" : "  ") + pad(line[i], widths[i], columns_[i].align);
        out.erase(out.find_last_not_of(' ') + 1);
        return terminal.paint(out, tone) + "\n";
    };
    std::vector<std::string> head;
    for (const Column& column : columns_)
        head.push_back(column.name);
    const bool headless = std::all_of(head.begin(), head.end(), [](const std::string& name) { return name.empty(); });
    std::string out = headless ? "" : render(head, Tone::faint);
    for (std::size_t i = 0; i < rows_.size(); ++i)
        out += render(cells[i], rows_[i].tone);
    return out;
}

std::string Table::csv() const {
    std::string out;
    for (std::size_t i = 0; i < columns_.size(); ++i)
        out += (i == 0 ? "" : ",") + escape_csv(columns_[i].name);
    out += "\n";
    for (const Row& row : rows_) {
        for (std::size_t i = 0; i < row.cells.size(); ++i)
            out += (i == 0 ? "" : ",") + escape_csv(row.cells[i]);
        out += "\n";
    }
    return out;
}

std::string Table::markdown() const {
    std::string out = "|";
    std::string rule = "|";
    for (const Column& column : columns_) {
        out += " " + escape_markdown(column.name) + " |";
        rule += column.align == Align::right ? " ---: |" : " --- |";
    }
    out += "\n" + rule + "\n";
    for (const Row& row : rows_) {
        out += "|";
        for (const std::string& cell : row.cells)
            out += " " + escape_markdown(cell) + " |";
        out += "\n";
    }
    return out;
}

std::string render_json(const nlohmann::json& json) {
    return json.dump(2, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
}

Status print(std::string_view text) {
    errno = 0;
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0 ||
        std::ferror(stdout) != 0)
        return fail_errno("cannot write to standard output", errno != 0 ? errno : EIO);
    return {};
}

} // namespace snapscope::cli
