// libFuzzer: any bytes as pcm's output while it runs.  A row has a value, or a
// gap, for every counter, and no counter is below 0.
#include <snapscope/readers/pcm_live.hpp>

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    snapscope::PcmLive live;
    for (const auto part : {text.substr(0, size / 2), text.substr(size / 2)}) {
        if (!live.feed(part))
            return 0;
        for (const auto& row : live.take_rows()) {
            if (row.values.size() != live.series().size())
                std::abort();
            for (const auto& value : row.values)
                if (value && !(*value >= 0))
                    std::abort();
        }
    }
    return 0;
}
