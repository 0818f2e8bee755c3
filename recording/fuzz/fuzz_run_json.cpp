// libFuzzer: any bytes as run.json.  What is read must be written and read
// again as the same run.
#include <snapscope/recording/run_folder.hpp>

#include <cstdlib>
#include <nlohmann/json.hpp>

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    const auto json = nlohmann::json::parse(data, data + size, nullptr, false);
    if (json.is_discarded())
        return 0;
    const auto run = snapscope::run_from_json(json);
    if (!run)
        return 0;
    const auto written = snapscope::run_to_json(*run);
    const auto again = snapscope::run_from_json(written);
    if (!again || snapscope::run_to_json(*again) != written)
        std::abort();
    return 0;
}
