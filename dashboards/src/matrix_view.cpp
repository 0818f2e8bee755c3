#include "matrix_view.hpp"

#include "evidence.hpp"

#include <snapscope/base/numbers.hpp>

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <numeric>

namespace snapscope {
namespace {

constexpr std::size_t table_cells = 1600; // larger ones list their greatest cells
constexpr std::size_t greatest = 200;
constexpr std::size_t wide_columns = 6;

std::string title_of(const Matrix& matrix) {
    std::string name = matrix.name;
    std::replace(name.begin(), name.end(), '_', ' ');
    return matrix.by == "line" ? name + " by line and socket" : name + " by " + matrix.by;
}

std::string axis(const Matrix& matrix, bool reader) {
    if (matrix.by == "line")
        return reader ? "line" : "socket of the reader";
    if (matrix.name != "transfers")
        return reader ? matrix.by : "of";
    return matrix.by + (reader ? " that read" : " that had written");
}

// Numbers alone need a word before them.
std::string named(const Matrix& matrix, const std::string& name, bool reader) {
    const bool digits =
        !name.empty() && std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
    const std::string word = matrix.by == "line" ? (reader ? "line" : "socket") : matrix.by;
    return digits ? word + " " + name : name;
}

void write_cells(Html& html, const Matrix& matrix) {
    std::vector<std::string> columns{axis(matrix, true)};
    for (const std::string& writer : matrix.writers)
        columns.push_back("#" + named(matrix, writer, false));
    TableWriter table(html, title_of(matrix) + ", " + axis(matrix, true) + " down, " + axis(matrix, false) + " across",
                      columns);
    for (std::size_t r = 0; r < matrix.readers.size(); ++r) {
        std::vector<std::string> cells{named(matrix, matrix.readers[r], true)};
        for (std::size_t w = 0; w < matrix.writers.size(); ++w)
            cells.push_back(number(matrix.counts[r * matrix.writers.size() + w], 6));
        table.row(cells);
    }
}

void write_greatest(Html& html, const Matrix& matrix) {
    std::vector<std::size_t> order(matrix.counts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const std::size_t shown = std::min(order.size(), greatest);
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), order.end(),
                      [&](std::size_t a, std::size_t b) { return matrix.counts[a] > matrix.counts[b]; });
    TableWriter table(html, fmt::format("{}: the {} greatest of {} cells", title_of(matrix), shown, order.size()),
                      {axis(matrix, true), axis(matrix, false), "#" + matrix.name});
    for (std::size_t i = 0; i < shown; ++i)
        table.row({named(matrix, matrix.readers[order[i] / matrix.writers.size()], true),
                   named(matrix, matrix.writers[order[i] % matrix.writers.size()], false),
                   number(matrix.counts[order[i]], 6)});
}

void write_matrix(Page& page, const Run& run, const Matrix& matrix) {
    Html& html = page.html;
    const Evidence evidence = evidence_of(run.sources, matrix.source);
    std::vector<float> counts;
    counts.reserve(matrix.counts.size());
    for (const double count : matrix.counts)
        counts.push_back(static_cast<float>(count));
    nlohmann::json rows = nlohmann::json::array();
    nlohmann::json columns = nlohmann::json::array();
    for (const std::string& reader : matrix.readers)
        rows.push_back(named(matrix, reader, true));
    for (const std::string& writer : matrix.writers)
        columns.push_back(named(matrix, writer, false));
    const auto number_of_view = page.add_view({{"view", "matrix"},
                                               {"title", title_of(matrix)},
                                               {"unit", matrix.unit == "1" ? "" : matrix.unit},
                                               {"kind", kind_word(evidence.kind)},
                                               {"rows", rows},
                                               {"columns", columns},
                                               {"row_axis", axis(matrix, true)},
                                               {"column_axis", axis(matrix, false)},
                                               {"counts", page.pack.f32(counts)}});
    // Few cells stand beside others; many need the width.
    const bool wide = matrix.writers.size() > wide_columns || matrix.readers.size() > 4 * wide_columns;
    const auto box = html.element("div", {{"class", wide ? "wide" : "narrow"}});
    {
        const auto figure = html.element("figure", {{"class", "matrix"}});
        {
            const auto caption = html.element("figcaption");
            html.isolated(title_of(matrix)).text(" ");
            write_evidence(html, evidence);
        }
        html.leaf("div", "", {{"data-view", number_of_view}});
    }
    const Folded folded(html, "This matrix as a table");
    if (matrix.counts.size() <= table_cells)
        write_cells(html, matrix);
    else
        write_greatest(html, matrix);
}

} // namespace

void write_matrices(Page& page, const Run& run, const std::string& id) {
    const Section section(page, id, "Transfers of cache lines",
                          "Which lines move, from which core or socket to which?");
    const auto usable = [](const Matrix& m) {
        return !m.readers.empty() && !m.writers.empty() && m.counts.size() == m.readers.size() * m.writers.size();
    };
    if (std::any_of(run.matrices.begin(), run.matrices.end(), usable)) {
        const auto grid = page.html.element("div", {{"class", "matrices"}});
        for (const Matrix& matrix : run.matrices)
            if (usable(matrix))
                write_matrix(page, run, matrix);
        return;
    }
    constexpr std::array<std::string_view, 3> from{"hitm", "pcm", "linetimer"};
    write_absent(page.html, run, "no source saw or computed transfers", from);
}

} // namespace snapscope
