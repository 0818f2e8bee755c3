// By construction the mirror makes a server execute nothing: what could make it
// do so (a tracer, a breakpoint, a mapping, a descriptor) is not there.

#include "mirrored.hpp"

#include <snapscope/collector/procfs.hpp>

#include <filesystem>
#include <fmt/format.h>
#include <iterator>
#include <remains.hpp>
#include <thread>

namespace snapscope::test {
namespace {

using namespace std::chrono_literals;

class MirrorUntouched : public MirrorTest {};

struct State {
    std::string maps, tracer;
    std::ptrdiff_t descriptors = 0;
};

State state_of(pid_t pid) {
    State state;
    state.maps = read_text(fmt::format("/proc/{}/maps", pid), std::size_t{16} << 20U).value_or("");
    const auto status = read_text(fmt::format("/proc/{}/status", pid)).value_or("");
    const auto at = status.find("TracerPid:");
    state.tracer = status.substr(at, status.find('\n', at) - at);
    const std::filesystem::directory_iterator folder(fmt::format("/proc/{}/fd", pid));
    state.descriptors = std::distance(begin(folder), end(folder));
    return state;
}

TEST_P(MirrorUntouched, nothing_is_in_the_server_while_it_is_watched) {
    start();
    Session session(cluster());
    session.run("SELECT 1");
    const auto before = state_of(session.pid());
    const auto postmaster_before = state_of(cluster().pid());
    ASSERT_FALSE(before.maps.empty());
    EXPECT_EQ(before.tracer, "TracerPid:\t0");
    (void)watch({}, [&](MirrorSource& source) {
        std::this_thread::sleep_for(300ms);
        for (const auto& [pid, then] :
             {std::pair(pid_t{session.pid()}, before), std::pair(cluster().pid(), postmaster_before)}) {
            const auto now = state_of(pid);
            EXPECT_EQ(now.maps, then.maps);
            EXPECT_EQ(now.tracer, then.tracer);
            EXPECT_EQ(now.descriptors, then.descriptors);
            const auto remains = remains_in(pid);
            ASSERT_TRUE(remains) << remains.error().message();
            EXPECT_EQ(remains->altered_bytes, 0U);
            EXPECT_EQ(remains->raised, 0);
        }
        EXPECT_GT(source.sample(monotonic_ns()).at(3).value_or(0), 0) << "it did look";
    });
    EXPECT_EQ(session.number("SELECT 2"), 2);
}

INSTANTIATE_TEST_SUITE_P(Version, MirrorUntouched, every_major(), name_of_major);

} // namespace
} // namespace snapscope::test
