// Writes one seed a fuzz target into the folder given.
#include "ctf_metadata.hpp"

#include <snapscope/base/files.hpp>
#include <snapscope/recording/run_folder.hpp>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <sample_run.hpp>

namespace {

using namespace snapscope;
namespace fs = std::filesystem;

Status seed(const fs::path& folder, const char* target, const std::string& bytes) {
    std::error_code error;
    fs::create_directories(folder / target, error);
    return write_file_atomically(folder / target / "seed", bytes);
}

Status make_seeds(const fs::path& folder) {
    EventTraceInfo info;
    info.run_id = full_sample_run().id;
    info.host = "a \"host\"\n";
    SNAPSCOPE_TRY(seed(folder, "fuzz_metadata", ctf::write_metadata(info)));
    SNAPSCOPE_TRY(seed(folder, "fuzz_run_json", run_to_json(full_sample_run()).dump()));
    SNAPSCOPE_TRY(seed(folder, "fuzz_window_row", window_row_to_line({1, 2, {1.5, std::nullopt}})));

    std::error_code error;
    fs::remove_all(folder / "events", error);
    auto writer = EventTraceWriter::create(folder / "events", info);
    if (!writer)
        return fail(writer.error());
    for (std::uint8_t type = 0; type <= SNAPSCOPE_EV_COUNT; ++type) {
        Event event;
        event.time_ns = 100 + type;
        event.slot = 1;
        event.type = type;
        SNAPSCOPE_TRY(writer->append(EventSource::ring, 1, std::span(&event, 1), type));
    }
    SNAPSCOPE_TRY(writer->finish());
    const auto bytes = read_file(folder / "events" / "ring-00001", std::size_t{1} << 20);
    return bytes ? seed(folder, "fuzz_ctf_stream", *bytes) : fail(bytes.error());
}

} // namespace

int main(int argc, char** argv) {
    const auto status = argc == 2 ? make_seeds(argv[1]) : fail("usage: recording_fuzz_seeds FOLDER");
    if (!status)
        std::fprintf(stderr, "%s\n", status.error().message().c_str());
    return status ? 0 : 1;
}
