#include "anatomy_checks.hpp"

#include <chrono>
#include <fmt/format.h>
#include <thread>

namespace snapscope::mirror {
namespace {

constexpr std::chrono::milliseconds between_looks{20};

Status run_check(const Check& check, Examination& examination, int looks) {
    auto result = check.run(examination);
    for (int look = 1; !result && check.of_moving_parts && look < looks; ++look) {
        std::this_thread::sleep_for(between_looks);
        result = check.run(examination);
    }
    return result;
}

} // namespace

const char* Anatomy::kind_of(std::uint32_t slot) const {
    if (slot >= all_proc_count)
        return "prepared transaction";
    if (slot >= max_backends)
        return "auxiliary process";
    std::uint32_t below = max_connections;
    if (slot < below)
        return "client";
    if (slot < (below += autovacuum_slots))
        return "autovacuum";
    return slot < below + max_worker_processes ? "background worker" : "walsender";
}

Result<Anatomy> locate(const Memory& memory, const ServerFacts& facts, const Layout& layout, int looks) {
    Examination examination{memory, facts, {}, {}, 0, 0};
    examination.anatomy.layout = layout;
    examination.anatomy.segment = facts.segment;
    for (const Check& check : anatomy_checks()) {
        const auto result = run_check(check, examination, looks);
        if (!result)
            return fail(Error{ErrorClass::unavailable,
                              fmt::format("check {} failed on PostgreSQL {} with the layout of {}: {}", check.name,
                                          facts.version, layout.major, result.error().what),
                              result.error().hint.empty() ? "this build lays its proc array out in a way that is not "
                                                            "known here; report its version"
                                                          : result.error().hint});
    }
    return examination.anatomy;
}

} // namespace snapscope::mirror
