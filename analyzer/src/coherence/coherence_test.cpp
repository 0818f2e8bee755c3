// Sequences with known transfers, and random ones against the rules written
// down once more, slow and obvious.
#include <snapscope/analyzer/coherence.hpp>
#include <snapscope/analyzer/sharded_model.hpp>

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

namespace snapscope {
namespace {

constexpr auto R = AccessKind::read;
constexpr auto W = AccessKind::write;

LineSpace lines_of(std::uint64_t count, std::uint64_t address = 4096) {
    return LineSpace::create({{"lines", address, count * line_bytes}}).value();
}

// What a sequence of accesses to the first lines did.
class Sequence {
  public:
    Sequence(const char* shape, Protocol protocol, Prefetch prefetch = Prefetch::none, std::uint64_t lines = 64)
        : topology_(topology_from_shape(shape).value()), lines_(lines_of(lines)),
          model_(make_coherence_model(topology_, lines_, protocol, prefetch)) {}

    Sequence& operator()(std::uint16_t cpu, AccessKind kind, LineId line = 0) {
        const Access access{line, cpu, kind, 0};
        model_->run(std::span(&access, 1));
        return *this;
    }
    [[nodiscard]] CoherenceTally tally() const { return model_->counts().total(); }
    [[nodiscard]] std::uint64_t moved(Distance d) const { return tally().transfers[static_cast<std::size_t>(d)]; }
    [[nodiscard]] std::uint64_t upgraded(Distance d) const { return tally().upgrades[static_cast<std::size_t>(d)]; }
    [[nodiscard]] std::uint64_t prefetched() const { return sum(tally().prefetched); }
    [[nodiscard]] const CoherenceCounts& counts() const { return model_->counts(); }

  private:
    Topology topology_;
    LineSpace lines_;
    std::unique_ptr<CoherenceModel> model_;
};

// 2x2: CPUs 0 and 1 on socket 0, 2 and 3 on socket 1.
class EveryProtocol : public testing::TestWithParam<Protocol> {};
INSTANTIATE_TEST_SUITE_P(Coherence, EveryProtocol, testing::Values(Protocol::mesi, Protocol::mesif, Protocol::moesi),
                         [](const auto& each) { return std::string(to_string(each.param)); });

TEST_P(EveryProtocol, AFirstReadComesFromMemoryAndALaterWriteIsSilent) {
    Sequence s("2x2", GetParam());
    s(0, R)(0, R)(0, W)(0, R);
    EXPECT_EQ(s.tally().accesses, 4U);
    EXPECT_EQ(s.tally().writes, 1U);
    EXPECT_EQ(s.moved(Distance::from_memory), 1U);
    EXPECT_EQ(sum(s.tally().transfers), 1U);
    EXPECT_EQ(sum(s.tally().upgrades), 0U) << "E to M tells nobody";
    EXPECT_EQ(s.counts().cold, 1U);
}

TEST_P(EveryProtocol, ASharedLineThatIsWrittenInvalidatesTheOthers) { // E, S, S to M, I, I
    Sequence s("2x2", GetParam());
    s(0, R)(1, R)(2, R);
    EXPECT_EQ(s.moved(Distance::same_llc), 1U);
    s(0, W);
    EXPECT_EQ(s.upgraded(Distance::cross_socket), 1U);
    EXPECT_EQ(s.tally().invalidated, 2U);
    s(1, R)(2, R);
    EXPECT_EQ(s.moved(Distance::same_llc), 2U) << "CPU 1 from its neighbour's M";
}

TEST_P(EveryProtocol, AnUpgradeWithinOneCacheStaysThere) {
    Sequence s("2x2", GetParam());
    s(0, R)(1, R)(1, W);
    EXPECT_EQ(s.upgraded(Distance::same_llc), 1U);
    EXPECT_EQ(s.upgraded(Distance::cross_socket), 0U);
    EXPECT_EQ(s.tally().invalidated, 1U);
}

TEST_P(EveryProtocol, ALineThatTwoWriteInTurnMovesEachTime) { // false sharing looks the same
    Sequence s("2x2", GetParam());
    for (int i = 0; i < 10; ++i)
        s(0, W)(2, W);
    EXPECT_EQ(s.moved(Distance::from_memory), 1U);
    EXPECT_EQ(s.moved(Distance::cross_socket), 19U);
    EXPECT_EQ(s.tally().invalidated, 19U);
    Sequence apart("2x2", GetParam());
    for (int i = 0; i < 10; ++i)
        apart(0, W, 0)(2, W, 1);
    EXPECT_EQ(apart.moved(Distance::cross_socket), 0U);
    EXPECT_EQ(apart.moved(Distance::from_memory), 2U);
}

TEST_P(EveryProtocol, AMissThatWritesIsOneTransfer) {
    Sequence s("2x2", GetParam());
    s(0, R)(1, R)(2, W);
    EXPECT_EQ(sum(s.tally().transfers), 3U);
    EXPECT_EQ(sum(s.tally().upgrades), 0U);
    EXPECT_EQ(s.tally().invalidated, 2U);
}

TEST_P(EveryProtocol, AnotherCacheOfTheSocketIsNearerThanAnotherSocket) {
    Sequence s("2x2x2", GetParam()); // CPUs 0,1 | 2,3 || 4,5 | 6,7
    s(0, W)(2, R);
    EXPECT_EQ(s.moved(Distance::cross_llc), 1U);
    s(3, R);
    EXPECT_EQ(s.moved(Distance::same_llc), 1U) << "its own cache has it by now";
    s(5, W);
    EXPECT_EQ(s.tally().invalidated, 3U);
}

TEST_P(EveryProtocol, ThreadsOfACoreShareItsCache) {
    Sequence s("1x1x2x2", GetParam()); // cores 0 and 1; CPUs 0 and 2 are threads of core 0
    s(0, W)(2, R)(2, R)(2, W)(0, W);
    EXPECT_EQ(s.moved(Distance::same_core), 2U) << "once for what 0 wrote, once for what 2 wrote";
    EXPECT_EQ(s.moved(Distance::same_llc), 0U);
    EXPECT_EQ(s.tally().invalidated, 0U);
    s(1, R);
    EXPECT_EQ(s.moved(Distance::same_llc), 1U);
}

TEST(Mesi, ADirtyLineIsWrittenBackAndThenComesFromMemory) {
    Sequence s("4x1", Protocol::mesi);
    s(0, W)(1, R)(2, R);
    EXPECT_EQ(s.moved(Distance::cross_socket), 1U) << "out of M";
    EXPECT_EQ(s.moved(Distance::from_memory), 2U) << "the first, and the one that found it clean elsewhere";
    EXPECT_EQ(s.counts().cold, 1U);
}

TEST(Mesif, TheLastReaderForwards) {
    Sequence s("4x1", Protocol::mesif);
    s(0, R)(1, R)(2, R)(3, R);
    EXPECT_EQ(s.moved(Distance::cross_socket), 3U);
    EXPECT_EQ(s.moved(Distance::from_memory), 1U);
    // Reader after reader, the supplier is the one before.
    const auto& between = s.counts().between_llcs;
    EXPECT_EQ(between[1 * 4 + 0], 1U);
    EXPECT_EQ(between[2 * 4 + 1], 1U);
    EXPECT_EQ(between[3 * 4 + 2], 1U);
}

TEST(Moesi, TheOwnerOfADirtyLineSuppliesAllReaders) {
    Sequence s("4x1", Protocol::moesi);
    s(0, W)(1, R)(2, R)(3, R);
    EXPECT_EQ(s.moved(Distance::cross_socket), 3U);
    EXPECT_EQ(s.moved(Distance::from_memory), 1U);
    for (std::size_t reader = 1; reader < 4; ++reader)
        EXPECT_EQ(s.counts().between_llcs[reader * 4], 1U) << "always from socket 0";
    s(0, W);
    EXPECT_EQ(s.upgraded(Distance::cross_socket), 1U) << "O to M has to tell the sharers";
    EXPECT_EQ(s.tally().invalidated, 3U);
    s(1, R)(1, W); // now 1 owns it
    EXPECT_EQ(s.moved(Distance::cross_socket), 4U);
    EXPECT_EQ(s.upgraded(Distance::cross_socket), 2U);
}

TEST(Moesi, ACleanSharedLineComesFromMemory) {
    Sequence s("4x1", Protocol::moesi);
    s(0, R)(1, R)(2, R);
    EXPECT_EQ(s.moved(Distance::cross_socket), 1U) << "out of E";
    EXPECT_EQ(s.moved(Distance::from_memory), 2U);
}

TEST(NextLine, AMissFetchesTheLineBehindItOnItsPage) {
    Sequence s("2x2", Protocol::mesi, Prefetch::next_line);
    s(0, R, 0)(0, R, 1)(0, R, 2);
    EXPECT_EQ(sum(s.tally().transfers), 2U) << "lines 0 and 2";
    EXPECT_EQ(s.prefetched(), 2U) << "lines 1 and 3";
    EXPECT_EQ(s.counts().useful_prefetches, 1U);
    s(0, R, 63);
    EXPECT_EQ(s.prefetched(), 2U) << "the page ends there";
}

TEST(NextLine, ALineThatWasTakenAwayAgainWasOfNoUse) {
    Sequence s("2x2", Protocol::mesi, Prefetch::next_line);
    s(0, R, 0)(2, W, 1)(0, R, 1);
    EXPECT_EQ(s.counts().useful_prefetches, 0U);
    EXPECT_EQ(s.moved(Distance::cross_socket), 2U);
}

TEST(Streamer, AscendingReadsAreRunAheadOf) {
    Sequence s("2x2", Protocol::mesi, Prefetch::streamer);
    for (LineId line = 0; line < 10; ++line)
        s(0, R, line);
    EXPECT_EQ(sum(s.tally().transfers), 3U) << "until the stream is seen";
    EXPECT_EQ(s.prefetched(), 9U) << "lines 3 to 11";
    EXPECT_EQ(s.counts().useful_prefetches, 7U);
    Sequence down("2x2", Protocol::mesi, Prefetch::streamer);
    for (LineId line = 10; line-- > 0;)
        down(0, R, line);
    EXPECT_EQ(down.prefetched(), 0U);
}

// ---- against the rules, slow and obvious ----

class Reference {
  public:
    Reference(const Topology& topology, std::size_t lines, Protocol protocol)
        : t_(topology), protocol_(protocol), cores_(lines, std::vector<char>(topology.cores, 'I')),
          fresh_(lines, std::vector<bool>(topology.cpus.size(), true)) {
        counts.lines.resize(lines);
        counts.between_llcs.resize(std::size_t{topology.llcs} * topology.llcs);
    }

    void access(const Access& a) {
        auto& states = cores_[a.line];
        const std::uint32_t me = t_.cpus[a.cpu].core;
        const bool writes = a.kind != AccessKind::read;
        const char mine = states[me];
        tally(a, [&](CoherenceTally& t) { ++t.accesses, t.writes += writes ? 1U : 0U; });
        if (mine == 'I') {
            supply(a, me);
        } else if (writes && (mine == 'S' || mine == 'F' || mine == 'O')) {
            Distance far = Distance::same_llc;
            for (std::uint32_t core = 0; core < t_.cores; ++core)
                if (core != me && states[core] != 'I')
                    far = std::max(far, between(core, me));
            tally(a, [&](CoherenceTally& t) { ++t.upgrades[static_cast<std::size_t>(far)]; });
        } else if ((mine == 'M' || mine == 'O') && !fresh_[a.line][a.cpu]) {
            move(a, Distance::same_core, llc(me));
        }
        if (writes)
            own(a, me);
        else if (mine == 'I')
            join(states, me);
        fresh_[a.line][a.cpu] = true;
    }

    CoherenceCounts counts;

  private:
    template <typename F> void tally(const Access& a, F change) {
        change(counts.lines[a.line]);
        change(counts.purposes[a.purpose]);
    }
    void move(const Access& a, Distance distance, std::optional<std::uint32_t> from) {
        tally(a, [&](CoherenceTally& t) { ++t.transfers[static_cast<std::size_t>(distance)]; });
        if (from)
            ++counts.between_llcs[llc(t_.cpus[a.cpu].core) * t_.llcs + *from];
    }
    std::uint32_t first_cpu(std::uint32_t core) const {
        std::uint32_t cpu = 0;
        while (t_.cpus[cpu].core != core)
            ++cpu;
        return cpu;
    }
    std::uint32_t llc(std::uint32_t core) const { return t_.cpus[first_cpu(core)].llc; }
    Distance between(std::uint32_t a, std::uint32_t b) const { return t_.distance(first_cpu(a), first_cpu(b)); }

    void supply(const Access& a, std::uint32_t me) {
        const auto& states = cores_[a.line];
        const bool cold = std::ranges::all_of(states, [](char s) { return s == 'I'; });
        counts.cold += cold ? 1U : 0U;
        for (std::uint32_t core = 0; core < t_.cores; ++core) // its own last-level cache
            if (states[core] != 'I' && llc(core) == llc(me))
                return move(a, Distance::same_llc, llc(me));
        for (std::uint32_t core = 0; core < t_.cores; ++core) // who answers
            if (std::string("MEOF").find(states[core]) != std::string::npos)
                return move(a, between(core, me), llc(core));
        move(a, Distance::from_memory, std::nullopt);
    }
    void own(const Access& a, std::uint32_t me) {
        auto& states = cores_[a.line];
        const auto lost = static_cast<std::uint64_t>(std::ranges::count_if(states, [](char s) { return s != 'I'; })) -
                          (states[me] != 'I' ? 1U : 0U);
        tally(a, [&](CoherenceTally& t) { t.invalidated += lost; });
        std::ranges::fill(states, 'I');
        states[me] = 'M';
        fresh_[a.line].assign(t_.cpus.size(), false);
    }
    void join(std::vector<char>& states, std::uint32_t me) {
        const bool alone = std::ranges::all_of(states, [](char s) { return s == 'I'; });
        for (char& state : states) {
            if (protocol_ == Protocol::moesi && (state == 'M' || state == 'O'))
                state = 'O';
            else if (state != 'I')
                state = 'S';
        }
        states[me] = alone ? 'E' : protocol_ == Protocol::mesif ? 'F' : 'S';
    }

    const Topology& t_;
    Protocol protocol_;
    std::vector<std::vector<char>> cores_; // by line and core
    std::vector<std::vector<bool>> fresh_; // by line and CPU: has touched it since it was written
};

std::vector<Access> random_accesses(const Topology& topology, std::size_t lines, std::size_t count,
                                    std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<Access> out;
    for (std::size_t i = 0; i < count; ++i) {
        Access access;
        access.line = static_cast<LineId>(random() % lines);
        access.cpu = static_cast<std::uint16_t>(random() % topology.cpus.size());
        access.kind = static_cast<AccessKind>(random() % 8 < 5 ? 0 : 1 + random() % 2);
        access.purpose = static_cast<std::uint8_t>(random() % max_purposes);
        out.push_back(access);
    }
    return out;
}

TEST_P(EveryProtocol, AgreesWithTheRulesOnRandomSequences) {
    // 1, 4 and 16 words of a set; with and without threads.
    for (const char* shape : {"1x1", "2x2", "2x2x3", "2x2x2x2", "2x40", "2x4x8x2", "4x75", "4x8x10x2"}) {
        const auto topology = topology_from_shape(shape).value();
        const auto lines = lines_of(5);
        for (std::uint64_t seed = 1; seed <= 4; ++seed) {
            const auto accesses = random_accesses(topology, lines.lines(), 3000, seed);
            Reference reference(topology, lines.lines(), GetParam());
            for (const Access& access : accesses)
                reference.access(access);
            const auto model = make_coherence_model(topology, lines, GetParam(), Prefetch::none);
            model->run(accesses);
            EXPECT_EQ(model->counts(), reference.counts) << shape << ", seed " << seed;
        }
    }
}

TEST_P(EveryProtocol, CountsTheSameOnSeveralThreads) {
    const auto topology = topology_from_shape("2x2x3x2").value();
    const auto lines = lines_of(500, 4096 - 3 * 64); // eight pages and two parts
    const auto accesses = random_accesses(topology, lines.lines(), 5 * ShardedModel::batch_size, 7);
    for (const Prefetch prefetch : {Prefetch::none, Prefetch::next_line, Prefetch::streamer}) {
        const auto one = make_coherence_model(topology, lines, GetParam(), prefetch);
        one->run(accesses);
        for (const std::size_t threads : {1U, 2U, 3U, 7U}) {
            ShardedModel several(topology, lines, GetParam(), prefetch, threads);
            for (const Access& access : accesses)
                several.add(access);
            EXPECT_EQ(several.finish(), one->counts()) << to_string(prefetch) << ", " << threads << " threads";
        }
    }
}

TEST_P(EveryProtocol, CountsAddUpByLineAndByPurpose) {
    const auto topology = topology_from_shape("2x4").value();
    const auto lines = lines_of(40);
    const auto model = make_coherence_model(topology, lines, GetParam(), Prefetch::next_line);
    model->run(random_accesses(topology, lines.lines(), 20'000, 3));
    CoherenceTally purposes;
    for (const CoherenceTally& tally : model->counts().purposes)
        purposes += tally;
    EXPECT_EQ(purposes, model->counts().total());
    EXPECT_EQ(model->counts().total().accesses, 20'000U);
}

// ---- lines ----

TEST(Lines, RegionsThatShareALineShareItsNumber) {
    const auto lines = LineSpace::create({{"a", 4096 + 60, 8}, {"b", 4096 + 68, 60}, {"c", 8192, 1}}).value();
    EXPECT_EQ(lines.lines(), 3U);
    EXPECT_EQ(lines.line(0, 7), lines.line(1, 0));
    EXPECT_EQ(lines.region_of(lines.line(1, 0)), 0U) << "the first that is on it";
    EXPECT_EQ(lines.address(lines.line(2, 0)), 8192U);
    EXPECT_EQ(lines.next_in_page(lines.line(0, 0)), lines.line(0, 7));
    EXPECT_EQ(lines.next_in_page(lines.line(1, 59)), std::nullopt) << "c is on another page";
    EXPECT_EQ(lines.pages(), 2U);
}

TEST(Lines, RegionsThatMakeNoSenseAreRefused) {
    EXPECT_FALSE(LineSpace::create({{"empty", 0, 0}}));
    EXPECT_FALSE(LineSpace::create({{"wraps", ~std::uint64_t{0} - 4, 8}}));
    EXPECT_FALSE(LineSpace::create({{"huge", 0, std::uint64_t{1} << 40U}}));
    EXPECT_FALSE(LineSpace::create({{"a", 64, 65}, {"b", 128, 1}}));
}

} // namespace
} // namespace snapscope
