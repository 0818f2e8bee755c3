// libFuzzer: any bytes as a file of another tool.  What is read must be a run
// that its own reader takes, and that says the same when read again.
#include <snapscope/readers/import.hpp>
#include <snapscope/recording/run_folder.hpp>

#include <cstdlib>
#include <nlohmann/json.hpp>

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    auto imported = snapscope::import_text(FUZZED_KIND, {reinterpret_cast<const char*>(data), size}, {"file", "", {}});
    if (!imported)
        return 0;
    imported->run.id = std::string(32, '0');
    const auto written = snapscope::run_to_json(imported->run);
    const auto again = snapscope::run_from_json(written);
    if (!again || snapscope::run_to_json(*again) != written)
        std::abort();
    return 0;
}
