// Delimited text, record by record (RFC 4180, with any one-byte separator).
// Used by everything that reads tables which other programs or people wrote.
//
// A byte-order mark and CRLF are accepted; cells are trimmed unless quoted.
// The reader says where a record began and whether its line was ended, so that
// a file that was cut off can be told from one that was written to its end.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace snapscope {

struct CsvRecord {
    std::size_t line = 0; // of the file, from 1
    std::vector<std::string> cells;
    bool ended = false; // by a line end; false: the file ends here
};

// The separator of the first line that is neither blank nor a comment ('#'):
// whichever of ';', ',' and tab stands there most often outside quotes; ',' for none.
[[nodiscard]] char detect_separator(std::string_view text);

class CsvReader {
  public:
    CsvReader(std::string_view text, char separator);
    // Whether any record is left; skips blank lines, and comments ('#') where asked.
    [[nodiscard]] bool more(bool skip_comments = true);
    // The line on which the next record begins.
    [[nodiscard]] std::size_t line() const { return line_; }
    // nullopt: a quoted cell that does not end well.
    [[nodiscard]] std::optional<CsvRecord> next();

  private:
    std::optional<std::string> cell();
    std::optional<std::string> quoted_cell();

    std::string_view rest_;
    char separator_;
    std::size_t line_ = 1;
};

} // namespace snapscope
