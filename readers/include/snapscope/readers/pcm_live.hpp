// pcm -csv while it still runs: rows as they become whole.  Used by the source `pcm`.
//
// pcm writes the line end before a row, so the last row has none while it runs;
// it is whole once it has a cell for every column and the separator that ends a row.
#pragma once

#include <snapscope/readers/pcm.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace snapscope {

struct PcmRow {
    std::optional<std::int64_t> time_ns;       // end of the row since 1970, in pcm's time zone
    std::vector<std::optional<double>> values; // one a series
};

class PcmLive {
  public:
    // The next bytes, cut anywhere.  Class failed: the header cannot be
    // understood, or what comes is no row of it any more.
    Status feed(std::string_view bytes);

    // Both rows of the header have come.
    [[nodiscard]] bool described() const { return !header_.empty(); }
    // Names and units of the counters that are understood; no values.
    [[nodiscard]] const std::vector<PcmSeries>& series() const { return series_; }
    [[nodiscard]] std::vector<PcmRow> take_rows() { return std::move(rows_); }
    [[nodiscard]] std::size_t rows_lost() const { return rows_lost_; }
    [[nodiscard]] std::size_t gaps() const { return gaps_; } // cells that hold no count
    // Counters that held none in some row, as pcm names them.
    [[nodiscard]] std::vector<std::string> silent() const;

  private:
    Status line(std::string_view text);
    Status describe(std::string_view first, std::string_view second);
    void row(std::string_view text);

    std::string rest_;     // the beginning of a line
    std::string previous_; // the line before, until the header is there
    std::string header_;
    char separator_ = ',';
    std::size_t columns_ = 0;
    std::vector<PcmSeries> series_;
    std::vector<bool> has_gap_;
    std::vector<PcmRow> rows_;
    std::size_t rows_lost_ = 0, gaps_ = 0;
};

} // namespace snapscope
