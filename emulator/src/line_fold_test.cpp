#include <snapscope/analyzer/coherence.hpp>
#include <snapscope/emulator/line_fold.hpp>

#include <gtest/gtest.h>
#include <random>

namespace snapscope::emulator {
namespace {

Topology shape(const char* text) {
    return *topology_from_shape(text);
}

TEST(LineFold, AReadOfALineThatTheOtherSocketWroteIsAFetchAcrossSockets) {
    const Topology topology = shape("2x2");
    LineFold fold(topology, 1);
    EXPECT_EQ(fold.access(0, 0, TracedKind::write).fetch, Distance::from_memory);
    const AccessOutcome far = fold.access(0, 2, TracedKind::read);
    EXPECT_EQ(far.fetch, Distance::cross_socket);
    EXPECT_TRUE(far.cross_socket);
    EXPECT_EQ(fold.access(0, 3, TracedKind::read).fetch, Distance::same_llc);
    EXPECT_FALSE(fold.access(0, 3, TracedKind::read).fetch);
}

TEST(LineFold, AWriteToASharedLineIsAnUpgradeByTheFarthestCopyAndOneEvent) {
    const Topology topology = shape("2x2");
    LineFold fold(topology, 1);
    for (std::uint8_t cpu = 0; cpu < 3; ++cpu)
        fold.access(0, cpu, TracedKind::read);
    const AccessOutcome outcome = fold.access(0, 1, TracedKind::locked);
    EXPECT_FALSE(outcome.fetch);
    EXPECT_EQ(outcome.upgrade, Distance::cross_socket);
    EXPECT_EQ(outcome.invalidated, 2U);
    EXPECT_TRUE(outcome.cross_socket);
}

// No transfer crosses, yet the other socket has to give up its copy.
TEST(LineFold, AWriteMissServedNearbyThatTakesAFarCopyIsACrossSocketEvent) {
    const Topology topology = shape("2x2");
    LineFold fold(topology, 1);
    fold.access(0, 0, TracedKind::read);
    fold.access(0, 2, TracedKind::read);
    const AccessOutcome outcome = fold.access(0, 1, TracedKind::write);
    EXPECT_EQ(outcome.fetch, Distance::same_llc);
    EXPECT_FALSE(outcome.upgrade);
    EXPECT_TRUE(outcome.cross_socket);
}

// The analyzer's model was written apart from this one: on the same accesses
// both must count the same, to the last one.
TEST(LineFold, CountsWhatTheAnalyzersModelCountsOnRandomAccesses) {
    for (const char* text : {"2x2", "2x4", "4x2", "2x2x2"}) {
        const Topology topology = shape(text);
        constexpr std::size_t lines = 12;
        const auto space = LineSpace::create({{"lines", 0x1000, lines * line_bytes}});
        ASSERT_TRUE(space);
        const auto model = make_coherence_model(topology, *space, Protocol::mesif, Prefetch::none);
        LineFold fold(topology, lines);
        std::vector<CoherenceTally> own(lines);
        std::mt19937 random(7);
        for (int i = 0; i < 200000; ++i) {
            const auto line = static_cast<std::uint32_t>(random() % lines);
            const auto cpu = static_cast<std::uint8_t>(random() % topology.cpus.size());
            // Some lines are mostly read, others mostly written.
            const bool write = random() % (2 + line * 3) == 0;
            const Access access{line, cpu, write ? AccessKind::write : AccessKind::read, 0};
            model->run({&access, 1});
            const AccessOutcome outcome = fold.access(line, cpu, write ? TracedKind::write : TracedKind::read);
            ++own[line].accesses;
            own[line].writes += write ? 1U : 0U;
            own[line].invalidated += outcome.invalidated;
            if (outcome.fetch)
                ++own[line].transfers[static_cast<std::size_t>(*outcome.fetch)];
            if (outcome.upgrade)
                ++own[line].upgrades[static_cast<std::size_t>(*outcome.upgrade)];
        }
        EXPECT_EQ(own, model->counts().lines) << text;
    }
}

} // namespace
} // namespace snapscope::emulator
