// Which lines a prefetcher asks for after an access of demand.
#pragma once

#include <snapscope/analyzer/coherence.hpp>

namespace snapscope {

// Lines behind LINE that are to be fetched: the next COUNT, as far as they are
// modelled and on its page.
template <typename Fetch> void fetch_behind(const LineSpace& lines, LineId line, int count, Fetch fetch) {
    for (int i = 0; i < count; ++i) {
        const auto next = lines.next_in_page(line);
        if (!next)
            return;
        fetch(*next);
        line = *next;
    }
}

// One stream a core and page: how many lines in ascending order it has read.
class Streams {
  public:
    Streams(std::size_t cores, std::size_t pages) : pages_(pages), streams_(cores * pages) {}

    // True where this access makes or continues a stream of three.  The same
    // line again neither continues nor ends one.
    bool advances(std::uint32_t core, std::uint32_t page, LineId line) {
        Stream& stream = streams_[core * pages_ + page];
        if (stream.length != 0 && stream.last == line)
            return false;
        stream.length = stream.length != 0 && stream.last + 1 == line ? stream.length + 1 : 1;
        stream.last = line;
        return stream.length >= trained;
    }

    static constexpr std::uint32_t trained = 3;
    static constexpr int ahead = 2; // lines fetched

  private:
    struct Stream {
        LineId last = 0;
        std::uint32_t length = 0;
    };
    std::size_t pages_;
    std::vector<Stream> streams_;
};

} // namespace snapscope
