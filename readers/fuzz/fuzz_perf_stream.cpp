// libFuzzer: any bytes as perf's stream, down to the run.  Cut in two anywhere,
// it must say the same.
#include <snapscope/readers/hitm_report.hpp>
#include <snapscope/recording/run_folder.hpp>

#include <cstdlib>
#include <nlohmann/json.hpp>

namespace {

using namespace snapscope;

class Counter final : public PerfVisitor {
  public:
    void sample(const PerfSample& sample) override { tally.add(sample); }
    void forked(std::uint32_t pid, std::uint32_t parent) override { tally.set_owner(pid % 100, parent); }
    void ended(std::uint32_t pid, std::uint64_t /*time_ns*/) override { tally.forget(pid); }
    void lost(std::uint64_t samples) override { lost_samples += samples; }
    void throttled() override {}
    void round() override {}
    void trace(std::uint32_t /*cpu*/, std::span<const std::byte> bytes) override { traced += bytes.size(); }

    LineTally tally{AddressMap({{"PGXACT", 0x7f0012345680, 12, 100, known_fields("PGXACT"), true}})};
    std::uint64_t lost_samples = 0, traced = 0;
};

std::string said(std::span<const std::byte> bytes, std::size_t cut) {
    Counter counter;
    PerfStream stream(counter);
    std::string out;
    for (const auto part : {bytes.first(cut), bytes.subspan(cut)})
        if (const auto fed = stream.feed(part); !fed) {
            out = fed.error().what;
            break;
        }
    if (out.empty() && !stream.end())
        out = stream.end().error().what;
    Run run;
    put_hitm(counter.tally, {}, run);
    run.id = std::string(32, '0');
    return out + std::to_string(counter.lost_samples) + " " + std::to_string(counter.traced) + run_to_json(run).dump();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
    if (said(bytes, 0) != said(bytes, size / 2))
        std::abort();
    return 0;
}
