#include "emulate_options.hpp"

#include "option_checks.hpp"

#include <snapscope/base/files.hpp>

#include <algorithm>

namespace snapscope::cli {

namespace fs = std::filesystem;
using namespace emulator;

namespace {

constexpr std::size_t most_script_bytes = std::size_t{1} << 20U;

Status take_workload(EmulateOptions& options) {
    EmulationOptions& out = options.emulation;
    out.workload = options.workload;
    if (options.workload == "select-only" || options.workload == "tpcb-like" || options.workload == "simple-update")
        return {};
    auto script = read_file(options.workload, most_script_bytes);
    if (!script)
        return fail(Error{ErrorClass::usage, "--workload: " + script.error().what,
                          "select-only, tpcb-like, simple-update, or a pgbench script"});
    if (script->empty())
        return fail("--workload: the script is empty", "", ErrorClass::usage);
    out.script = std::move(*script);
    out.workload = fs::path(options.workload).filename().string();
    return {};
}

Status take_phases(EmulateOptions& options) {
    auto& phases = options.emulation.phases;
    phases.assign(options.repeats, {options.barrier, options.transactions});
    if (options.converge == "none")
        return {};
    for (const std::string& word : split(options.converge, ',')) {
        const auto barrier = parse_number<std::uint64_t>(word, least_barrier, most_barrier);
        if (!barrier)
            return fail(fmt::format("--converge: '{}' is no number from {} to {}", word, least_barrier, most_barrier),
                        "none, or a list", ErrorClass::usage);
        phases.push_back({*barrier, options.transactions});
    }
    return {};
}

Status take_settings(EmulateOptions& options) {
    for (const std::string& text : options.settings) {
        const auto at = text.find('=');
        if (at == 0 || at == std::string::npos)
            return fail(fmt::format("--set: '{}' is not NAME=VALUE", text), "", ErrorClass::usage);
        options.emulation.settings.emplace_back(text.substr(0, at), text.substr(at + 1));
    }
    return {};
}

} // namespace

Result<std::string> default_emulated_server(const fs::path& cache) {
    std::error_code error;
    std::optional<fs::directory_entry> newest;
    for (const auto& entry : fs::directory_iterator(cache / "postgresql", error)) {
        const fs::path stamp = entry.path() / "complete";
        const std::string name = entry.path().filename().string();
        if (!name.starts_with("patched-") || name.find('-') != name.rfind('-') || !fs::exists(stamp))
            continue;
        if (!newest || fs::last_write_time(newest->path() / "complete") < fs::last_write_time(stamp))
            newest = entry;
    }
    if (!newest)
        return fail("no server to emulate",
                    "give --server DIR; patched-pg/build/build.sh builds one and prints its prefix", ErrorClass::usage);
    return (newest->path() / "install").string();
}

Status take_words(EmulateOptions& options) {
    SNAPSCOPE_TRY(take_workload(options));
    SNAPSCOPE_TRY(take_phases(options));
    return take_settings(options);
}

Result<std::vector<Variant>> variants_of(const std::vector<ServerMap>& servers, const EmulateOptions& options) {
    std::vector<Variant> out;
    for (const ServerMap& server : servers) {
        if (!server.patched) {
            out.push_back({&server, "", false});
            continue;
        }
        for (std::string mode : split(options.modes.empty() ? "off" : options.modes, ',')) {
            const bool spread = mode.ends_with(emulate_spread_suffix);
            if (spread)
                mode.resize(mode.size() - emulate_spread_suffix.size());
            if (mode != "off" && mode != "copy" && mode != "spin" && mode != "lockfree")
                return fail(fmt::format("--mode: '{}' is none of off, copy, spin, lockfree", mode),
                            "each also with +spread", ErrorClass::usage);
            out.push_back({&server, mode, spread || options.spread});
        }
    }
    if (!options.modes.empty() && std::ranges::none_of(out, [](const Variant& each) { return !each.mode.empty(); }))
        return fail("--mode: the server has no snapshot_cache", "it is a setting of the patched 13", ErrorClass::usage);
    return out;
}

} // namespace snapscope::cli
