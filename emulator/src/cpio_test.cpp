#include <snapscope/base/files.hpp>
#include <snapscope/emulator/cpio.hpp>
#include <snapscope/lab/scratch_folder.hpp>

#include <filesystem>
#include <gtest/gtest.h>

namespace snapscope::emulator {
namespace {

// The archive of what ADD puts in.
std::string archive_of(const std::function<Status(CpioWriter&)>& add) {
    auto folder = ScratchFolder::create();
    const auto path = folder->path() / "archive";
    auto writer = CpioWriter::create(path);
    EXPECT_TRUE(writer);
    const Status added = add(*writer);
    EXPECT_TRUE(added) << (added ? "" : added.error().message());
    EXPECT_TRUE(writer->finish());
    return read_file(path, 1U << 20U).value_or("");
}

// The eight digits of field INDEX of the header of NAME's entry.
std::string field(const std::string& archive, const std::string& name, std::size_t index) {
    const std::size_t at = archive.find(name + '\0');
    constexpr std::size_t header = 110;
    return at == std::string::npos ? "" : archive.substr(at - header + 6 + 8 * index, 8);
}

TEST(Cpio, AnEntryHasTheOwnerAndModeThatItWasGivenWhoeverWritesIt) {
    const std::string archive = archive_of([](CpioWriter& out) {
        return out.add_file("/data/base/1", "rows", 0600, {1000, 1001});
    });
    EXPECT_EQ(field(archive, "data/base/1", 1), "00008180");
    EXPECT_EQ(field(archive, "data/base/1", 2), "000003e8");
    EXPECT_EQ(field(archive, "data/base/1", 3), "000003e9");
    EXPECT_EQ(field(archive, "data/base/1", 6), "00000004");
}

TEST(Cpio, FoldersAboveAFileAreMadeOnceAndBeforeIt) {
    const std::string archive = archive_of([](CpioWriter& out) -> Status {
        SNAPSCOPE_TRY(out.add_file("/a/b/one", "1", 0644));
        return out.add_file("/a/b/two", "2", 0644);
    });
    EXPECT_EQ(field(archive, "a/b", 1), "000041ed");
    EXPECT_LT(archive.find(std::string("a/b") + '\0'), archive.find("a/b/one"));
    std::size_t times = 0;
    for (std::size_t at = 0; (at = archive.find(std::string("a/b") + '\0', at)) != std::string::npos; ++at)
        ++times;
    EXPECT_EQ(times, 1U);
}

TEST(Cpio, EveryEntryBeginsOnAMultipleOfFour) {
    const std::string archive = archive_of([](CpioWriter& out) -> Status {
        for (const std::string bytes : {"", "1", "12", "123", "1234"})
            SNAPSCOPE_TRY(out.add_file("/file" + bytes, bytes, 0644));
        return {};
    });
    std::size_t entries = 0;
    for (std::size_t at = 0; (at = archive.find("070701", at)) != std::string::npos; ++at, ++entries)
        EXPECT_EQ(at % 4, 0U);
    EXPECT_EQ(entries, 7U); // the root's folder is not one; five files, /, the trailer
}

TEST(Cpio, ADeviceAndALinkAreWhatTheyAre) {
    const std::string archive = archive_of([](CpioWriter& out) -> Status {
        SNAPSCOPE_TRY(out.add_character_device("/dev/console", 5, 1));
        return out.add_link("/lib64", "usr/lib64");
    });
    EXPECT_EQ(field(archive, "dev/console", 1), "00002180");
    EXPECT_EQ(field(archive, "dev/console", 9), "00000005");
    EXPECT_EQ(field(archive, "dev/console", 10), "00000001");
    EXPECT_NE(archive.find("usr/lib64"), std::string::npos);
}

} // namespace
} // namespace snapscope::emulator
