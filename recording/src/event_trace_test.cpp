#include "ctf_layout.hpp"
#include "sample_trace.hpp"

#include <algorithm>
#include <csignal>
#include <gmock/gmock.h>
#include <random>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace snapscope {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using Item = EventTraceReader::Item;

TEST_F(TraceTest, EveryEventComesBackInTheOrderOfTime) {
    const auto a = sample_events(3, 1000, 10, 100);
    const auto b = sample_events(70000, 1005, 7, 100);
    auto writer = must_create();
    ASSERT_TRUE(writer.append(EventSource::ring, 3, std::span(a).first(40), 0));
    ASSERT_TRUE(writer.append(EventSource::ebpf, 70000, b, 0));
    ASSERT_TRUE(writer.append(EventSource::ring, 3, std::span(a).subspan(40), 0));
    ASSERT_TRUE(writer.finish());

    std::vector<Event> expected = a;
    expected.insert(expected.end(), b.begin(), b.end());
    std::ranges::stable_sort(expected, {}, &Event::time_ns);
    auto reader = must_open();
    const auto items = all(reader);
    ASSERT_EQ(items.size(), expected.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
        EXPECT_EQ(items[i].event, expected[i]) << i;
        EXPECT_EQ(items[i].source, expected[i].slot == 3 ? EventSource::ring : EventSource::ebpf);
    }
    EXPECT_FALSE(reader.truncated());
    EXPECT_EQ(reader.lost(EventSource::ring), 0U);
}

TEST_F(TraceTest, EqualTimesComeInTheOrderOfSourceAndSlot) {
    auto writer = must_create();
    for (const std::uint32_t slot : {100000U, 2U, 10U})
        for (const EventSource source : {EventSource::ebpf, EventSource::ring})
            ASSERT_TRUE(writer.append(source, slot, sample_events(slot, 5, 0, 2), 0));
    ASSERT_TRUE(writer.finish());
    auto reader = must_open();
    std::vector<std::pair<EventSource, std::uint32_t>> order;
    for (const Item& item : all(reader))
        order.emplace_back(item.source, item.event.slot);
    EXPECT_EQ(order.size(), 12U);
    EXPECT_TRUE(std::ranges::is_sorted(order));
}

TEST_F(TraceTest, NoWordOfARecordIsLostWhateverItsType) {
    std::mt19937 random(1);
    std::vector<Event> events;
    for (int type = 0; type < 256; ++type)
        for (int round = 0; round < 4; ++round) {
            // Some records use a word that their type has not.
            Event event;
            event.time_ns = INT64_MAX - 2000 + static_cast<std::int64_t>(events.size());
            event.slot = 1;
            event.type = static_cast<std::uint8_t>(type);
            ctf::for_each_word(event, [&](unsigned word, auto& member) {
                if (word != ctf::word_type && random() % 2 == 0)
                    member = static_cast<std::remove_reference_t<decltype(member)>>(random());
            });
            events.push_back(event);
        }
    auto writer = must_create();
    ASSERT_TRUE(writer.append(EventSource::ring, 1, events, 0));
    ASSERT_TRUE(writer.finish());
    auto reader = must_open();
    const auto items = all(reader);
    ASSERT_EQ(items.size(), events.size());
    for (std::size_t i = 0; i < items.size(); ++i)
        EXPECT_EQ(items[i].event, events[i]) << i;
}

TEST_F(TraceTest, ASlotMayChangeItsOwner) {
    auto events = sample_events(1, 10, 1, 6);
    events[2].pid = events[3].pid = 7;
    events[4].pid = 0;
    auto writer = must_create();
    ASSERT_TRUE(writer.append(EventSource::ring, 1, events, 0));
    auto reader = must_open();
    const auto items = all(reader);
    ASSERT_EQ(items.size(), events.size());
    for (std::size_t i = 0; i < items.size(); ++i)
        EXPECT_EQ(items[i].event, events[i]);
}

TEST_F(TraceTest, ManyEventsBecomePacketsOfBoundedSizeAndComeBackInBatches) {
    const auto events = sample_events(9, 1, 3, 20000);
    auto writer = must_create();
    ASSERT_TRUE(writer.append(EventSource::ring, 9, events, 5));
    auto reader = must_open();
    std::vector<Item> batch(777);
    std::size_t seen = 0;
    for (;;) {
        const auto count = reader.read(batch);
        ASSERT_TRUE(count) << count.error().message();
        if (*count == 0)
            break;
        for (std::size_t i = 0; i < *count; ++i)
            ASSERT_EQ(batch[i].event, events[seen + i]);
        seen += *count;
    }
    EXPECT_EQ(seen, events.size());
    EXPECT_EQ(reader.lost(EventSource::ring), 5U);
}

TEST_F(TraceTest, LossesAreKeptBySourceAlsoWhereNothingElseWas) {
    auto writer = must_create();
    ASSERT_TRUE(writer.append(EventSource::ring, 1, {}, 4)); // before its first event
    ASSERT_TRUE(writer.append(EventSource::ring, 1, sample_events(1, 100, 1, 3), 6));
    ASSERT_TRUE(writer.append(EventSource::ring, 1, {}, 10)); // a burst lost whole
    ASSERT_TRUE(writer.append(EventSource::ring, 1, {}, 10)); // nothing new
    ASSERT_TRUE(writer.append(EventSource::ring, 2, {}, 7));  // no event ever
    ASSERT_TRUE(writer.append(EventSource::ebpf, 1, sample_events(1, 100, 1, 3), 2));
    ASSERT_TRUE(writer.append(EventSource::ebpf, 5, {}, 0));
    ASSERT_TRUE(writer.finish());
    auto reader = must_open();
    EXPECT_EQ(all(reader).size(), 6U);
    EXPECT_EQ(reader.lost(EventSource::ring), 17U);
    EXPECT_EQ(reader.lost(EventSource::ebpf), 2U);
    EXPECT_TRUE(fs::exists(path() / "ring-00002"));
    EXPECT_FALSE(fs::exists(path() / "ebpf-00005"));
}

TEST_F(TraceTest, WhoeverCountsAnewAddsToWhatWasLostBefore) {
    auto writer = must_create();
    ASSERT_TRUE(writer.append(EventSource::ring, 1, sample_events(1, 100, 1, 3), 4));
    writer.count_anew();
    ASSERT_TRUE(writer.append(EventSource::ring, 1, sample_events(1, 200, 1, 3), 0));
    ASSERT_TRUE(writer.append(EventSource::ring, 1, sample_events(1, 300, 1, 3), 2));
    ASSERT_TRUE(writer.append(EventSource::ring, 2, sample_events(2, 300, 1, 3), 1));
    ASSERT_TRUE(writer.finish());
    auto reader = must_open();
    EXPECT_EQ(all(reader).size(), 12U);
    EXPECT_EQ(reader.lost(EventSource::ring), 7U);
}

TEST_F(TraceTest, WhatContradictsTheContractIsRefusedAndWritesNothing) {
    auto writer = must_create();
    ASSERT_TRUE(writer.append(EventSource::ring, 1, sample_events(1, 100, 1, 3), 6));
    const auto before = bytes_of(path() / "ring-00001");
    EXPECT_THAT(writer.append(EventSource::ring, 1, sample_events(1, 101, 1, 3), 6).error().what, HasSubstr("time"));
    EXPECT_THAT(writer.append(EventSource::ring, 1, sample_events(1, 200, -1, 3), 6).error().what, HasSubstr("time"));
    EXPECT_THAT(writer.append(EventSource::ring, 3, sample_events(3, -5, 1, 3), 6).error().what, HasSubstr("time"));
    EXPECT_THAT(writer.append(EventSource::ring, 1, sample_events(1, 200, 1, 3), 5).error().what, HasSubstr("lost"));
    EXPECT_THAT(writer.append(EventSource::ring, 1, sample_events(2, 200, 1, 3), 6).error().what, HasSubstr("slot"));
    EXPECT_EQ(bytes_of(path() / "ring-00001"), before);
    ASSERT_TRUE(writer.finish());
    EXPECT_FALSE(writer.append(EventSource::ring, 1, sample_events(1, 200, 1, 3), 6));
    EXPECT_FALSE(EventTraceWriter::create(path(), sample_trace_info())) << "an existing folder is not taken over";
    auto info = sample_trace_info();
    info.run_id = "xyz";
    EXPECT_FALSE(EventTraceWriter::create(folder / "other", info));
}

TEST_F(TraceTest, FilesArePrivateAndAnEmptyTraceIsATrace) {
    const mode_t old = ::umask(0);
    auto writer = must_create();
    ASSERT_TRUE(writer.append(EventSource::ring, 1, sample_events(1, 100, 1, 1), 0));
    ::umask(old);
    struct stat status {};
    ASSERT_EQ(::stat((path() / "ring-00001").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777U, 0600U);
    fs::remove(path() / "ring-00001");
    auto reader = must_open();
    EXPECT_TRUE(all(reader).empty());
    EXPECT_EQ(reader.info().run_id, sample_trace_info().run_id);
    EXPECT_EQ(reader.info().wall_offset_ns, sample_trace_info().wall_offset_ns);
}

TEST_F(TraceTest, ThousandsOfSlotsNeedFewDescriptors) {
    rlimit limit{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
    const rlimit few{48, limit.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
    constexpr std::uint32_t slots = 3000;
    auto writer = must_create();
    for (const int round : {0, 1})
        for (std::uint32_t slot = 0; slot < slots; ++slot) {
            const auto status = writer.append(EventSource::ring, slot, sample_events(slot, round * 10, 1, 2), 0);
            ASSERT_TRUE(status) << status.error().message();
        }
    const auto finished = writer.finish();
    auto reader = must_open();
    EXPECT_EQ(all(reader).size(), 2 * 2 * slots);
    ::setrlimit(RLIMIT_NOFILE, &limit);
    EXPECT_TRUE(finished);
}

TEST_F(TraceTest, AFullDiskLeavesWholePacketsAndTheWriterGoesOn) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        ::signal(SIGXFSZ, SIG_IGN);
        auto writer = EventTraceWriter::create(path(), sample_trace_info());
        if (!writer || !writer->append(EventSource::ring, 1, sample_events(1, 100, 1, 3), 0))
            ::_exit(1);
        const rlimit tight{fs::file_size(path() / "ring-00001") + 100, RLIM_INFINITY};
        ::setrlimit(RLIMIT_FSIZE, &tight);
        if (writer->append(EventSource::ring, 1, sample_events(1, 200, 1, 30), 0))
            ::_exit(2);
        const rlimit loose{RLIM_INFINITY, RLIM_INFINITY};
        ::setrlimit(RLIMIT_FSIZE, &loose);
        ::_exit(writer->append(EventSource::ring, 1, sample_events(1, 300, 1, 3), 30) && writer->finish() ? 0 : 3);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    ASSERT_EQ(WEXITSTATUS(status), 0);
    auto reader = must_open();
    EXPECT_EQ(all(reader).size(), 6U);
    EXPECT_EQ(reader.lost(EventSource::ring), 30U);
    EXPECT_FALSE(reader.truncated());
}

} // namespace
} // namespace snapscope
