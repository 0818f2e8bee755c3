// Latency histograms with power-of-two buckets, as bcc's funclatency and
// bpftrace print them, or as a table lo,hi,count.
#pragma once

#include <snapscope/base/result.hpp>
#include <snapscope/recording/run.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace snapscope {

struct Log2Histogram {
    Histogram histogram; // unit ns; [lo, hi + 1) of each row; gaps between rows are empty buckets
    // The last row is not empty, and the text ends there: rows may be missing,
    // so a high percentile may lie beyond.
    bool may_be_cut = false;
    std::vector<std::string> notes;
};

// Takes "1024 -> 2047 : 995030 |***|" (nsecs, usecs, msecs as the header says;
// none: ns), "[1K, 2K) 995030 |@@@|" and a CSV with columns lo_ns, hi_ns,
// count.  Strict: buckets that overlap or fall, or a count that is no whole
// number, are errors; a last line that was cut is left out with a note.
[[nodiscard]] Result<Log2Histogram> read_log2_histogram(std::string_view text, const std::string& label);

} // namespace snapscope
