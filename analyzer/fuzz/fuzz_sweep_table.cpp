// libFuzzer: any bytes as a table of a sweep.  A run has a tps above 0 or a
// reason, and what is read can be analysed and printed.
#include <snapscope/analyzer/analysis.hpp>

#include <cstdlib>
#include <nlohmann/json.hpp>

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    const auto sweep = snapscope::sweep_from_csv({reinterpret_cast<const char*>(data), size}, "file");
    if (!sweep)
        return 0;
    for (const auto& run : sweep->runs)
        if (run.tps ? !(*run.tps > 0) : run.failure.empty())
            std::abort();
    if (const auto analysis = snapscope::analyze(*sweep))
        static_cast<void>(to_json(*analysis).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    return 0;
}
