// An unpatched server of one major version, and what the mirror sees of it.
#pragma once

#include "mirror/dense_reader.hpp"
#include "mirror/proc_reader.hpp"
#include "mirror_source.hpp"

#include <filesystem>
#include <memory>
#include <session.hpp>
#include <string>
#include <vector>

namespace snapscope::test {

// The prefix of an unpatched server: 13 from the cache, others from the
// environment (SNAPSCOPE_PG_UNPATCHED_PREFIX, SNAPSCOPE_PG_DEBIAN15_PREFIX,
// SNAPSCOPE_PG14_PREFIX, ...); empty when there is none.
[[nodiscard]] std::filesystem::path unpatched_prefix(int major);

[[nodiscard]] TargetSpec target_of(pid_t postmaster);

[[nodiscard]] inline auto every_major() {
    return testing::Range(mirror::first_major, mirror::last_major + 1);
}
[[nodiscard]] inline std::string name_of_major(const testing::TestParamInfo<int>& test) {
    return "v" + std::to_string(test.param);
}

// Both samples of one moment in which neither was torn.
struct Sight {
    mirror::DenseSample dense;
    mirror::ProcSample procs;

    // The slot of the session with PID; null where it has none.
    [[nodiscard]] const mirror::ProcSlot* proc_of(std::int32_t pid) const;
    [[nodiscard]] const mirror::DenseSlot* dense_of(std::int32_t pid) const;
};

class MirrorTest : public testing::TestWithParam<int> {
  protected:
    void SetUp() override;
    // Starts the server of this version, or of PREFIX.
    void start(std::vector<std::pair<std::string, std::string>> settings = {}, std::filesystem::path prefix = {});
    [[nodiscard]] const Cluster& cluster() const { return *cluster_; }
    [[nodiscard]] Result<MirroredServer> examine() const { return examine(cluster().pid()); }
    [[nodiscard]] static Result<MirroredServer> examine(pid_t postmaster);
    [[nodiscard]] static Sight look(const MirroredServer& server);
    // xmin as the version keeps it.
    [[nodiscard]] static std::uint32_t xmin_of(const MirroredServer& server, const Sight& sight, std::int32_t pid);

    // What the mirror's source says of WORK, as a recording gets it.
    template <typename Work> snapscope::Run watch(mirror::SamplerOptions options, Work work) {
        const ProcFs proc;
        const auto postmaster = find_target(proc, target_of(cluster().pid()));
        EXPECT_TRUE(postmaster) << postmaster.error().message();
        auto source = MirrorSource::attach(proc, *postmaster, target_of(cluster().pid()), options);
        snapscope::Run run;
        if (!source) {
            ADD_FAILURE() << source.error().message();
            return run;
        }
        (*source)->start(monotonic_ns());
        work(**source);
        (*source)->stop();
        last_window_ = (*source)->sample(monotonic_ns());
        (*source)->finish(monotonic_ns(), run);
        run.sources.push_back((*source)->status());
        return run;
    }
    [[nodiscard]] static std::optional<std::int64_t> total(const snapscope::Run& run, const std::string& name);

    std::unique_ptr<Cluster> cluster_;
    std::vector<Value> last_window_;
};

// Waits until the server takes connections again, after so many crashes since its
// start; false after a minute.
[[nodiscard]] bool comes_back(const Cluster& cluster, int crashes);

} // namespace snapscope::test
