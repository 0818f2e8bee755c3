#include "process_maps.hpp"

#include <gtest/gtest.h>

namespace snapscope::mirror {
namespace {

constexpr const char* maps_text =
    "55d0c8600000-55d0c8700000 r--p 00000000 fe:02 786713                     /usr/lib/postgresql/15/bin/postgres\n"
    "55d0c8700000-55d0c8c00000 r-xp 00100000 fe:02 786713                     /usr/lib/postgresql/15/bin/postgres\n"
    "55d0ca000000-55d0ca100000 rw-p 00000000 00:00 0                          [heap]\n"
    "7f1e80000000-7f1e90000000 rw-s 00000000 00:01 565                        /dev/zero (deleted)\n"
    "7f1e90000000-7f1e90001000 rw-p 00000000 00:00 0 \n"
    "7f1e90001000-7f1e90002000 rw-s 00000000 00:01 5                          /SYSV0052e2c1 (deleted)\n"
    "7f1e90200000-7f1e90400000 rw-s 00000000 00:0f 9                          /anon_hugepage (deleted)\n"
    "7f1e90400000-7f1e90500000 rw-s 00000000 00:1a 9                          /dev/shm/PostgreSQL.12\n";

TEST(ProcessMaps, AreReadLineByLine) {
    const auto maps = parse_maps(maps_text);
    ASSERT_TRUE(maps) << maps.error().message();
    ASSERT_EQ(maps->size(), 8U);
    EXPECT_EQ(maps->at(1), (Mapped{0x55d0c8700000, 0x55d0c8c00000, "r-xp", 0x100000, 0xfe, 2, 786713,
                                   "/usr/lib/postgresql/15/bin/postgres"}));
    EXPECT_EQ(maps->at(3).name, "/dev/zero (deleted)");
    EXPECT_EQ(maps->at(4).name, "");
    EXPECT_EQ(mapping_at(*maps, 0x7f1e8fffffff)->inode, 565U);
    EXPECT_FALSE(mapping_at(*maps, 0x7f1e90002000));
}

TEST(ProcessMaps, AnythingElseIsRefused) {
    const std::string line = "1000-2000 rw-s 00000000 00:01 565 /dev/zero (deleted)\n";
    ASSERT_TRUE(parse_maps(line));
    for (const char* text :
         {"", "\n", "1000-2000 rw-s 00000000 00:01 565 /dev/zero", "2000-1000 rw-s 0 00:01 5 x\n",
          "1000-1000 rw-s 0 00:01 5 x\n", "1000 rw-s 0 00:01 5 x\n", "1000-2000 rw 0 00:01 5 x\n",
          "1000-2000 qw-s 0 00:01 5 x\n", "1000-2000 rw-s z 00:01 5 x\n", "1000-2000 rw-s 0 0001 5 x\n",
          "1000-2000 rw-s 0 00:01 -5 x\n", "1000-2000 rw-s 0 00:01\n", "10000000000000000-2 rw-s 0 00:01 5 x\n"})
        EXPECT_FALSE(parse_maps(text)) << text;
    EXPECT_FALSE(parse_maps(line + line)) << "mappings do not overlap";
    EXPECT_FALSE(parse_maps(line + "garbage\n"));
}

TEST(ProcessMaps, TheBinaryIsFoundByInodeAndOffsetAndOnLayeredFileSystemsByName) {
    const auto maps = parse_maps(maps_text);
    ASSERT_TRUE(maps);
    EXPECT_EQ(mapping_of(*maps, {0xfe, 2, 786713, "elsewhere"})->start, 0x55d0c8600000U);
    EXPECT_EQ(mapping_of(*maps, {0, 40, 12, "/usr/lib/postgresql/15/bin/postgres"})->start, 0x55d0c8600000U);
    EXPECT_FALSE(mapping_of(*maps, {0xfe, 3, 786713, "elsewhere"}));
}

TEST(ProcessMaps, ThePagesOfSharedMemoryAreKnownByTheirName) {
    const auto maps = parse_maps(maps_text);
    ASSERT_TRUE(maps);
    EXPECT_EQ(page_kind(maps->at(3)), PageKind::ordinary);
    EXPECT_EQ(page_kind(maps->at(5)), PageKind::sysv);
    EXPECT_EQ(page_kind(maps->at(6)), PageKind::huge);
    EXPECT_FALSE(page_kind(maps->at(7))) << "dynamic shared memory";
    EXPECT_FALSE(page_kind(maps->at(2))) << "private memory";
}

} // namespace
} // namespace snapscope::mirror
