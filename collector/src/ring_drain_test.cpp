#include "ring_drain.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace snapscope {
namespace {

constexpr std::uint32_t capacity = 8;

struct Ring {
    snapscope_head head{};
    std::vector<snapscope_record> records = std::vector<snapscope_record>(capacity);
    snapscope_tail tail{};
    RingDrain drain{&head, records.data(), &tail, capacity};

    void write(std::uint32_t number) {
        snapscope_record& record = records[head.head % capacity];
        record.type = SNAPSCOPE_EV_XID_ASSIGNED;
        record.a = number;
        ++head.head;
    }
};

TEST(RingDrain, GivesEveryRecordOnceAndInOrderAcrossTheEnd) {
    Ring ring;
    std::vector<snapscope_record> out;
    for (std::uint32_t i = 0; i < 30; ++i) {
        ring.write(i);
        if (i % 3 == 2) {
            EXPECT_EQ(ring.drain.drain(out), 0U);
        }
    }
    ASSERT_EQ(out.size(), 30U);
    for (std::uint32_t i = 0; i < 30; ++i)
        EXPECT_EQ(out[i].a, i);
    EXPECT_EQ(ring.tail.tail, 30U);
}

TEST(RingDrain, FullRingIsDrainedWhole) {
    Ring ring;
    std::vector<snapscope_record> out;
    for (std::uint32_t i = 0; i < capacity; ++i)
        ring.write(i);
    EXPECT_EQ(ring.drain.drain(out), 0U);
    EXPECT_EQ(out.size(), capacity);
}

TEST(RingDrain, SkipsWhatWasThereBefore) {
    Ring ring;
    std::vector<snapscope_record> out;
    ring.write(1);
    ring.drain.skip_all(true);
    ring.write(2);
    ring.drain.drain(out);
    ASSERT_EQ(out.size(), 1U);
    EXPECT_EQ(out[0].a, 2U);
}

TEST(RingDrain, HeadThatCannotBeTrueCostsRecordsAndIsCounted) {
    Ring ring;
    std::vector<snapscope_record> out;
    ring.head.head = 1000;
    EXPECT_EQ(ring.drain.drain(out), 1000U);
    EXPECT_TRUE(out.empty());
    EXPECT_EQ(ring.tail.tail, 1000U);
    ring.head.head = 3; // gone back
    EXPECT_EQ(ring.drain.drain(out), 1U);
    ring.write(7);
    EXPECT_EQ(ring.drain.drain(out), 0U);
    ASSERT_EQ(out.size(), 1U);
    EXPECT_EQ(out[0].a, 7U);
}

} // namespace
} // namespace snapscope
