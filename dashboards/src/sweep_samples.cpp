#include "sweep_samples.hpp"

#include <fmt/format.h>
#include <stdexcept>

namespace snapscope::samples {

SweepReport sweep_of_table(const std::string& text, const std::string& label) {
    const auto table = sweep_from_csv(text, label);
    if (!table)
        throw std::runtime_error(table.error().message());
    auto analysis = analyze(*table);
    if (!analysis)
        throw std::runtime_error(analysis.error().message());
    return {label, std::move(*analysis), table->kinds, {}};
}

SweepReport sweep() {
    std::string text = "mode,max_connections,repeat,tps,lines_per_snapshot,remote_hitm_share\n";
    for (int point = 0; point < 8; ++point)
        for (const bool cached : {false, true})
            for (int repeat = 1; repeat <= 4; ++repeat) {
                // Uncached, every second point is a third slower.
                const double level = cached ? 52'000 : point % 2 == 0 ? 48'000 : 33'000;
                const bool failed = cached && point == 7;
                text += fmt::format("{},{},{},{},{},{}\n", cached ? "copy" : "off", 200 + 100 * point, repeat,
                                    failed ? std::string("nan") : fmt::format("{}", level + 150 * repeat + 7 * point),
                                    20 + 3 * point, cached ? 0.1 : 0.1 + 0.3 * (point % 2));
            }
    SweepReport out = sweep_of_table(text, "night.sweep");
    for (int point = 0; point < 8; ++point)
        for (const char* mode : {"mode off", "mode copy"})
            out.layouts.push_back({200.0 + 100 * point,
                                   mode,
                                   {{"PGXACT", static_cast<std::uint64_t>(4096 + 12 * point), 12, 300, 57, 40},
                                    {"<b>arrays</b>", static_cast<std::uint64_t>(8192 + 4 * point), 4, 300, 19, 0}}});
    return out;
}

} // namespace snapscope::samples
