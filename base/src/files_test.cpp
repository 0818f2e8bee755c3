#include <snapscope/base/files.hpp>

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

namespace snapscope {
namespace {

namespace fs = std::filesystem;

class FilesTest : public ::testing::Test {
  protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "snapscope-files-XXXXXX").string();
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        folder = name;
    }
    void TearDown() override { fs::remove_all(folder); }

    static unsigned mode_of(const fs::path& path) {
        struct stat status {};
        EXPECT_EQ(::stat(path.c_str(), &status), 0);
        return status.st_mode & 07777U;
    }

    fs::path folder;
};

TEST_F(FilesTest, WhatIsWrittenIsReadBack) {
    const std::string bytes("a\0b\n", 4);
    ASSERT_TRUE(write_file_atomically(folder / "x", bytes));
    const auto read = read_file(folder / "x", 4);
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_EQ(*read, bytes);
}

TEST_F(FilesTest, ReplacingLeavesOneFileOfMode0600WhateverTheUmask) {
    const mode_t old = ::umask(0);
    std::ofstream(folder / "x") << "old";
    const auto status = write_file_atomically(folder / "x", "new");
    ::umask(old);
    ASSERT_TRUE(status) << status.error().message();
    EXPECT_EQ(mode_of(folder / "x"), 0600U);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator{}), 1);
}

TEST_F(FilesTest, AFailedReplacementLeavesTheOldBytesAndNoLitter) {
    fs::create_directories(folder / "x" / "inside"); // a folder cannot be renamed over
    const auto status = write_file_atomically(folder / "x", "new");
    ASSERT_FALSE(status);
    EXPECT_NE(status.error().what.find((folder / "x").string()), std::string::npos);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator{}), 1);
}

TEST_F(FilesTest, AFileAboveTheCapIsRefused) {
    std::ofstream(folder / "x") << "12345";
    EXPECT_FALSE(read_file(folder / "x", 4));
    EXPECT_TRUE(read_file(folder / "x", 5));
}

TEST_F(FilesTest, AnEmptyFileIsEmptyAndAMissingOneAnError) {
    std::ofstream(folder / "x").flush();
    EXPECT_EQ(read_file(folder / "x", 10).value_or("?"), "");
    const auto missing = read_file(folder / "y", 10);
    ASSERT_FALSE(missing);
    EXPECT_NE(missing.error().what.find("No such file"), std::string::npos);
}

TEST_F(FilesTest, AFifoIsRefusedAndDoesNotHang) {
    ASSERT_EQ(::mkfifo((folder / "x").c_str(), 0600), 0);
    EXPECT_FALSE(read_file(folder / "x", 10));
}

TEST_F(FilesTest, ProcfsFilesThatStateNoSizeAreReadWhole) {
    const auto read = read_file("/proc/self/maps", std::size_t{1} << 24);
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_GT(read->size(), 100U);
}

TEST_F(FilesTest, CreatedFilesAndFoldersArePrivateAndNeverTakenOver) {
    const mode_t old = ::umask(0);
    ASSERT_TRUE(create_private_folder(folder / "d"));
    ASSERT_TRUE(create_private_file(folder / "f"));
    ::umask(old);
    EXPECT_EQ(mode_of(folder / "d"), 0700U);
    EXPECT_EQ(mode_of(folder / "f"), 0600U);
    EXPECT_FALSE(create_private_folder(folder / "d"));
    EXPECT_FALSE(create_private_file(folder / "f"));
    fs::create_symlink(folder / "elsewhere", folder / "link");
    EXPECT_FALSE(create_private_file(folder / "link"));
    EXPECT_FALSE(fs::exists(folder / "elsewhere"));
}

TEST_F(FilesTest, AFullDiskIsAnError) {
    const UniqueFd full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
    if (!full)
        GTEST_SKIP() << "this host has no /dev/full";
    EXPECT_FALSE(write_all(full.get(), "x", "/dev/full"));
}

TEST_F(FilesTest, WhatDoesNotFitIsAnErrorThatNamesTheFileAndNotItsTemporary) {
    const pid_t child = ::fork(); // the limit is for a process and stays
    ASSERT_GE(child, 0);
    if (child == 0) {
        ::signal(SIGXFSZ, SIG_IGN);
        const rlimit none{1, RLIM_INFINITY};
        ::setrlimit(RLIMIT_FSIZE, &none);
        const auto status = write_file_atomically(folder / "x", "new");
        ::_exit(!status && status.error().what == "cannot write " + (folder / "x").string() + ": File too large" ? 0
                                                                                                                 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_TRUE(fs::is_empty(folder));
}

} // namespace
} // namespace snapscope
