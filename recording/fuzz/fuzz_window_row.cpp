// libFuzzer: any bytes as a line of the journal.
#include <snapscope/recording/run_folder.hpp>

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    const auto row = snapscope::window_row_from_line({reinterpret_cast<const char*>(data), size});
    if (row && snapscope::window_row_from_line(snapscope::window_row_to_line(*row)) != *row)
        std::abort();
    return 0;
}
