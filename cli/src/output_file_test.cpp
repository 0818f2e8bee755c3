#include "output_file.hpp"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <sys/stat.h>

namespace snapscope::cli {
namespace {

namespace fs = std::filesystem;

class OutputFileTest : public ::testing::Test {
  protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "snapscope-output-XXXXXX").string();
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        folder = name;
    }
    void TearDown() override { fs::remove_all(folder); }
    static std::string content(const fs::path& path) {
        std::ifstream in(path);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    [[nodiscard]] std::ptrdiff_t entries() const {
        return std::distance(fs::directory_iterator(folder), fs::directory_iterator{});
    }
    fs::path folder;
};

TEST_F(OutputFileTest, AppearsWholeAndPrivate) {
    {
        auto file = OutputFile::create(folder / "x", false);
        ASSERT_TRUE(file) << file.error().message();
        ASSERT_TRUE(file->write("hello"));
        EXPECT_FALSE(fs::exists(folder / "x"));
        ASSERT_TRUE(file->commit());
    }
    EXPECT_EQ(content(folder / "x"), "hello");
    struct stat status {};
    ASSERT_EQ(::stat((folder / "x").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777U, 0600U);
    EXPECT_EQ(entries(), 1);
}

TEST_F(OutputFileTest, WhatIsNotCommittedLeavesNothing) {
    {
        auto file = OutputFile::create(folder / "x", false);
        ASSERT_TRUE(file);
        ASSERT_TRUE(file->write("hello"));
    }
    EXPECT_EQ(entries(), 0);
}

TEST_F(OutputFileTest, AnExistingFileIsReplacedOnlyByForce) {
    ASSERT_TRUE(write_result(folder / "x", false, "old"));
    const auto refused = write_result(folder / "x", false, "new");
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().hint.find("--force"), std::string::npos);
    EXPECT_EQ(content(folder / "x"), "old");
    ASSERT_TRUE(write_result(folder / "x", true, "new"));
    EXPECT_EQ(content(folder / "x"), "new");
    EXPECT_EQ(entries(), 1);
}

TEST_F(OutputFileTest, AFileThatAppearsMeanwhileIsNotOverwritten) {
    auto file = OutputFile::create(folder / "x", false);
    ASSERT_TRUE(file);
    std::ofstream(folder / "x") << "theirs";
    EXPECT_FALSE(file->commit());
    EXPECT_EQ(content(folder / "x"), "theirs");
}

TEST_F(OutputFileTest, ADeviceIsWrittenAndNeverReplaced) {
    ASSERT_TRUE(write_result("/dev/null", true, "x"));
    EXPECT_TRUE(fs::is_character_file("/dev/null"));
    EXPECT_FALSE(write_result("/dev/full", false, "x"));
}

TEST_F(OutputFileTest, AMissingFolderIsOneLine) {
    const auto refused = write_result(folder / "no" / "x", false, "x");
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().what.find("No such file"), std::string::npos);
    EXPECT_EQ(refused.error().message().find('\n'), std::string::npos);
}

} // namespace
} // namespace snapscope::cli
