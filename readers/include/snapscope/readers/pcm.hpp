// What Intel's pcm wrote: its CSV in every dialect from 2017 to 2026, and the
// link tables of its screen.  Used by `import pcm` and by the source `pcm`.
//
// A column is identified by its group and its name, never by its place.  Bytes
// are taken, never the percent columns, which are whole numbers and stay 0 while
// gigabytes move.  A cell that holds no count (blank, nan, -1.00, localised)
// is a gap with a note; it never becomes 0.
#pragma once

#include <snapscope/base/result.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace snapscope {

// One counter that is understood.
struct PcmSeries {
    std::string name;                          // e.g. upi_in_bytes_socket0_link1
    std::string unit;                          // bytes, 1, ns, joules, ratio
    std::string column;                        // as the file names it: "SKT0dataIn UPI1"
    std::vector<std::optional<double>> values; // one a row, in `unit` an interval
};

struct PcmRecording {
    std::string dialect;                              // "csv ';'", "csv ','", "screen", "link table"
    std::vector<std::optional<std::int64_t>> time_ns; // end of each row since 1970 in the machine's local time
    std::vector<PcmSeries> series;
    std::vector<std::string> ignored; // columns that are not taken, as the file names them
    std::vector<std::string> notes;   // what was left out, is a gap, or is odd
    std::size_t gaps = 0;             // cells of taken columns that hold no count
    std::size_t rows_lost = 0;        // rows that could not be used
    bool truncated_figures = false;   // screen figures: 17 M is anything from 17000000 to 17999999

    [[nodiscard]] std::size_t rows() const { return time_ns.size(); }
};

// Fails where no pcm output is found, or none of its counters is understood
// (also: two columns that cannot be told apart).
[[nodiscard]] Result<PcmRecording> read_pcm(std::string_view text, const std::string& label);

// "4411 K" -> 4411000: plain, or with K, M, G, powers of 1000.  nullopt else.
[[nodiscard]] std::optional<double> pcm_screen_number(std::string_view text);

} // namespace snapscope
