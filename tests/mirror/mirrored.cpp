#include "mirrored.hpp"

#include <snapscope/base/text.hpp>
#include <snapscope/lab/process.hpp>

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <stdexcept>
#include <thread>

namespace snapscope::test {
namespace {

using namespace std::chrono_literals;

std::string variable_of(int major) {
    if (major == 13)
        return "SNAPSCOPE_PG_UNPATCHED_PREFIX";
    return major == 15 ? "SNAPSCOPE_PG_DEBIAN15_PREFIX" : fmt::format("SNAPSCOPE_PG{}_PREFIX", major);
}

} // namespace

TargetSpec target_of(pid_t postmaster) {
    TargetSpec spec;
    spec.pid = postmaster;
    return spec;
}

std::filesystem::path unpatched_prefix(int major) {
    if (const char* named = std::getenv(variable_of(major).c_str()); named != nullptr && *named != '\0')
        return named;
    if (major != 13)
        return {};
    Command command;
    command.argv = {SNAPSCOPE_SOURCE_DIR "/patched-pg/build/build.sh", "--where", "--unpatched"};
    const auto built = run_to_end(command, 20s);
    return built && built->status == 0 ? std::filesystem::path(trim(built->output)) : std::filesystem::path();
}

const mirror::ProcSlot* Sight::proc_of(std::int32_t pid) const {
    const auto found = std::ranges::find(procs.slots, pid, &mirror::ProcSlot::pid);
    return found == procs.slots.end() ? nullptr : &*found;
}

const mirror::DenseSlot* Sight::dense_of(std::int32_t pid) const {
    const auto* proc = proc_of(pid);
    if (proc == nullptr)
        return nullptr;
    const auto found = std::ranges::find(dense.slots, proc->slot, &mirror::DenseSlot::slot);
    return found == dense.slots.end() ? nullptr : &*found;
}

void MirrorTest::SetUp() {
    if (unpatched_prefix(GetParam()).empty())
        GTEST_SKIP() << "no PostgreSQL " << GetParam() << ": " << variable_of(GetParam()) << " names none";
}

void MirrorTest::start(std::vector<std::pair<std::string, std::string>> settings, std::filesystem::path prefix) {
    ClusterOptions options;
    options.prefix = prefix.empty() ? unpatched_prefix(GetParam()) : std::move(prefix);
    options.settings = {{"autovacuum", "off"}, {"max_prepared_transactions", "5"}, {"restart_after_crash", "on"}};
    options.settings.insert(options.settings.end(), settings.begin(), settings.end());
    cluster_.reset();
    auto started = Cluster::start(options);
    if (!started)
        throw std::runtime_error(started.error().message()); // nothing of the test makes sense without
    cluster_ = std::make_unique<Cluster>(std::move(*started));
}

Result<MirroredServer> MirrorTest::examine(pid_t postmaster) {
    const ProcFs proc;
    const auto target = find_target(proc, target_of(postmaster));
    if (!target)
        return fail(target.error());
    return MirrorSource::prove(proc, *target, target_of(postmaster));
}

Sight MirrorTest::look(const MirroredServer& server) {
    mirror::DenseReader dense(server.anatomy);
    mirror::ProcReader procs(server.anatomy);
    for (int tries = 0; tries < 1000; ++tries) {
        if (dense.look(server.image->memory()) && procs.look(server.image->memory()) &&
            dense.seen().torn == mirror::Torn::no && procs.seen().torn == mirror::Torn::no)
            return {dense.seen(), procs.seen()};
        std::this_thread::sleep_for(1ms);
    }
    ADD_FAILURE() << "no sample was whole";
    return {};
}

std::uint32_t MirrorTest::xmin_of(const MirroredServer& server, const Sight& sight, std::int32_t pid) {
    const auto* proc = sight.proc_of(pid);
    const auto* dense = sight.dense_of(pid);
    if (proc == nullptr || dense == nullptr)
        return 0;
    return server.anatomy.layout.proc_xmin ? proc->xmin : dense->xmin;
}

std::optional<std::int64_t> MirrorTest::total(const snapscope::Run& run, const std::string& name) {
    for (const auto& total : run.totals)
        if (total.name == name && total.source == "mirror")
            return total.value;
    return std::nullopt;
}

bool comes_back(const Cluster& cluster, int crashes) {
    for (int attempt = 0; attempt < 600; ++attempt) {
        // Before the postmaster has noticed, the server answers as ever.
        if (count_in_log(cluster, "reinitializing") >= crashes && PQping(cluster.conninfo().c_str()) == PQPING_OK)
            return true;
        std::this_thread::sleep_for(100ms);
    }
    return false;
}

} // namespace snapscope::test
