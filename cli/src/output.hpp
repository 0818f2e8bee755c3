// How results and notes are printed: results on stdout, notes on stderr.
#pragma once

#include <snapscope/base/numbers.hpp>
#include <snapscope/base/result.hpp>

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace snapscope::cli {

enum class Format { text, json, csv, markdown };
enum class ColorMode { automatic, always, never };

// Colours by meaning; `plain` for anything else.
enum class Tone { plain, strong, faint, good, bad, warn };

// The terminal as the global options and the environment describe it.
struct Terminal {
    bool quiet = false; // no notes
    std::string label;  // of what the notes are, where there are several; empty: they stand alone
    int verbosity = 0;  // number of -v
    ColorMode color = ColorMode::automatic;

    // Whether stdout gets colours: --color, else NO_COLOR, TERM and isatty.
    [[nodiscard]] bool colored() const;
    // `text` (already escaped) in a tone, or as it is where colours are off.
    [[nodiscard]] std::string paint(std::string_view text, Tone tone) const;
    // One line on stderr, escaped, unless --quiet.
    void note(std::string_view text) const;
    // The same, only with -v.
    void detail(std::string_view text) const;
};

// A table of raw (unescaped) cells; the renderers escape.
class Table {
  public:
    enum class Align { left, right };
    struct Column {
        std::string name;
        Align align = Align::left;
    };
    explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
    // As many cells as columns.
    void add(std::vector<std::string> cells, Tone tone = Tone::plain);
    [[nodiscard]] bool empty() const { return rows_.empty(); }

    // Columns aligned, two blanks between; every line begins with `indent`.
    [[nodiscard]] std::string text(const Terminal& terminal, std::string_view indent = "") const;
    [[nodiscard]] std::string csv() const;
    [[nodiscard]] std::string markdown() const;

  private:
    struct Row {
        std::vector<std::string> cells;
        Tone tone;
    };
    std::vector<Column> columns_;
    std::vector<Row> rows_;
};

// JSON as snapscope prints it: two blanks of indent, ASCII only, a line end;
// bytes that are no UTF-8 become U+FFFD.
[[nodiscard]] std::string render_json(const nlohmann::json& json);

// Writes the result to stdout; a closed or full stdout is an error.
[[nodiscard]] Status print(std::string_view text);

} // namespace snapscope::cli
