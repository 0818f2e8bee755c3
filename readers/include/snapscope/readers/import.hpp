// What other tools recorded, as runs that every verb takes: `snapscope import`.
//
// A run made here says what it came from, and that nobody watched the server:
// what the file does not tell stays null.
#pragma once

#include <snapscope/base/result.hpp>
#include <snapscope/readers/address_map.hpp>
#include <snapscope/readers/topology.hpp>
#include <snapscope/recording/run.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace snapscope {

struct ImportOptions {
    std::string label; // the file, for messages
    std::string tool_version;
    std::optional<MachineTopology> topology; // of the machine that the file comes from
    std::optional<AddressMap> layout{};      // of the server that ran there
};

struct Imported {
    Run run; // without an id; finished
    // Something was left out, is a gap, or cannot be told: the run's warnings say what.
    bool partial = false;
};

// The kinds that `import_text` knows, for messages: pcm, c2c, perf-script, pgbench, histogram, waits.
[[nodiscard]] std::vector<std::string> import_kinds();

// KIND is one of import_kinds() (else an error of class usage).
[[nodiscard]] Result<Imported> import_text(std::string_view kind, std::string_view text, const ImportOptions& options);

} // namespace snapscope
