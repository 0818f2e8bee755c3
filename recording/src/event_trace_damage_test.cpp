// Traces that are cut off, damaged or made up: never a crash, a hang or a byte
// read that is not there (run under the `sanitize` preset), and what was whole
// is read.
#include "ctf_layout.hpp"
#include "ctf_metadata.hpp"
#include "sample_trace.hpp"

#include <cstring>
#include <gmock/gmock.h>
#include <random>

namespace snapscope {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using Item = EventTraceReader::Item;

class DamageTest : public TraceTest {
  protected:
    // Three packets of slot 1, the second one empty.
    void SetUp() override {
        TraceTest::SetUp();
        auto writer = must_create();
        ASSERT_TRUE(writer.append(EventSource::ring, 1, sample_events(1, 100, 10, 14), 0));
        first_packet = fs::file_size(stream());
        ASSERT_TRUE(writer.append(EventSource::ring, 1, {}, 3));
        second_packet = fs::file_size(stream());
        ASSERT_TRUE(writer.append(EventSource::ring, 1, sample_events(1, 1000, 10, 5), 3));
        ASSERT_TRUE(writer.finish());
        whole = bytes_of(stream());
    }
    fs::path stream() { return path() / "ring-00001"; }

    // Reads everything; gives the error, or an empty text.
    std::string error_of_reading() {
        auto reader = EventTraceReader::open(path());
        if (!reader)
            return reader.error().what;
        std::vector<Item> batch(3);
        events = 0;
        for (;;) {
            const auto count = reader->read(batch);
            if (!count) {
                EXPECT_FALSE(reader->read(batch)) << "an error stays";
                return count.error().what;
            }
            if (*count == 0)
                break;
            events += *count;
        }
        truncated = reader->truncated();
        return "";
    }
    template <class T> std::string patched(std::size_t at, T value) {
        std::string bytes = whole;
        std::memcpy(bytes.data() + at, &value, sizeof(value));
        return bytes;
    }

    std::string whole;
    std::size_t first_packet = 0, second_packet = 0;
    std::size_t events = 0;
    bool truncated = false;
};

TEST_F(DamageTest, CutAtAnyByteATraceIsReadUpToItsLastWholePacket) {
    for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
        put(stream(), whole.substr(0, cut));
        ASSERT_EQ(error_of_reading(), "") << cut;
        EXPECT_EQ(events, cut == whole.size() ? 19U : cut >= first_packet ? 14U : 0U) << cut;
        EXPECT_EQ(truncated, cut != whole.size() && cut != first_packet && cut != second_packet) << cut;
    }
}

TEST_F(DamageTest, ALookAtThePacketsFindsATraceThatIsNotWhole) {
    EXPECT_TRUE(check_event_trace(path()));
    put(stream(), whole.substr(0, whole.size() - 1));
    const auto cut = check_event_trace(path());
    ASSERT_FALSE(cut);
    EXPECT_THAT(cut.error().what, HasSubstr("ring-00001 is cut off"));
    put(stream(), whole.substr(0, first_packet) + "noise" + whole.substr(first_packet + 5));
    const auto damaged = check_event_trace(path());
    ASSERT_FALSE(damaged);
    EXPECT_THAT(damaged.error().what, HasSubstr("damaged at byte " + std::to_string(first_packet)));
    fs::remove_all(path());
    EXPECT_FALSE(check_event_trace(path()));
}

TEST_F(DamageTest, ATailOfZerosIsACutTrace) {
    put(stream(), whole + std::string(5000, '\0'));
    ASSERT_EQ(error_of_reading(), "");
    EXPECT_EQ(events, 19U);
    EXPECT_TRUE(truncated);
}

TEST_F(DamageTest, ContradictionsAreErrorsThatNameFileAndByte) {
    const std::size_t third = second_packet;
    const std::size_t event = ctf::head_bytes;
    const std::vector<std::pair<std::string, const char*>> cases = {
        {patched<std::uint32_t>(0, 1), "no packet"},
        {patched<std::uint32_t>(4, 1), "another trace"},
        {patched<std::uint32_t>(20, 1), "stream 1"},
        {patched<std::uint32_t>(64, 2), "slot 2"},
        {patched<std::uint64_t>(24, 1U << 20U), "times"},
        {patched<std::uint64_t>(32, UINT64_MAX), "times"},
        {patched<std::uint64_t>(40, 8), "content"},
        {patched<std::uint64_t>(40, UINT64_MAX), "content"},
        {patched<std::uint64_t>(40, UINT64_MAX - 7), "content"},
        {patched<std::uint64_t>(48, 0), "content"},
        {patched<std::uint64_t>(48, UINT64_MAX - 7), "content"},
        {patched<std::uint64_t>(third + 24, 0), "times"},
        {patched<std::uint64_t>(third + 56, 2), "lost"},
        {patched<std::uint8_t>(event, 15), "unknown class"},
        {patched<std::uint8_t>(event, 255), "unknown class"},
        {patched<std::uint64_t>(event + 1, 99), "order of time"},
        {patched<std::uint64_t>(event + 1, UINT64_MAX), "order of time"},
        {patched<std::uint64_t>(event + 1, 1U << 20U), "order of time"},
        {patched<std::uint64_t>(40, (first_packet - 1) * 8), "not hold whole"},
    };
    for (const auto& [bytes, says] : cases) {
        put(stream(), bytes);
        const std::string error = error_of_reading();
        EXPECT_THAT(error, HasSubstr(says));
        EXPECT_THAT(error, HasSubstr("ring-00001 is damaged at byte "));
    }
}

TEST_F(DamageTest, EventsBeforeADamagedPacketAreGivenOutBeforeTheError) {
    put(stream(), patched<std::uint32_t>(second_packet, 1));
    EXPECT_NE(error_of_reading(), "");
    EXPECT_EQ(events, 14U);
}

TEST_F(DamageTest, AnyByteMayBeAnyValue) {
    for (std::size_t at = 0; at < whole.size(); ++at)
        for (const int flip : {0x01, 0x80, 0xff}) {
            std::string bytes = whole;
            bytes[at] = static_cast<char>(bytes[at] ^ flip);
            put(stream(), bytes);
            error_of_reading();
            EXPECT_LE(events, whole.size() / ctf::event_head_bytes);
        }
}

TEST_F(DamageTest, NoiseIsNoTrace) {
    std::mt19937 random(7);
    for (int round = 0; round < 200; ++round) {
        std::string bytes = whole.substr(0, random() % whole.size());
        for (std::size_t i = 0; i < 400; ++i)
            bytes += static_cast<char>(random());
        put(stream(), bytes);
        error_of_reading();
    }
}

TEST_F(DamageTest, FilesThatAreNoStreamsAreNamed) {
    for (const char* const name : {"ring-1", "ring-000001", "ring-4294967296", "ring-", "pcm-00001", "ring-00001.gz"}) {
        put(path() / name, "");
        EXPECT_THAT(error_of_reading(), HasSubstr(name));
        fs::remove(path() / name);
    }
    put(path() / ".hidden", "");
    fs::create_directory(path() / "index");
    EXPECT_EQ(error_of_reading(), "");
}

TEST_F(DamageTest, MetadataCutAnywhereIsRefusedOrWhole) {
    const std::string metadata = bytes_of(path() / "metadata");
    for (std::size_t cut = 0; cut < metadata.find("trace {"); ++cut) {
        put(path() / "metadata", metadata.substr(0, cut));
        EXPECT_THAT(error_of_reading(), HasSubstr("metadata")) << cut;
    }
    fs::remove(path() / "metadata");
    EXPECT_THAT(error_of_reading(), HasSubstr("metadata"));
}

} // namespace
} // namespace snapscope
