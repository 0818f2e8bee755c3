#include <snapscope/emulator/machine.hpp>

#include <algorithm>
#include <gtest/gtest.h>

namespace snapscope::emulator {
namespace {

std::string after(const std::vector<std::string>& arguments, const std::string& option, std::size_t nth = 0) {
    for (std::size_t i = 0; i + 1 < arguments.size(); ++i)
        if (arguments[i] == option && nth-- == 0)
            return arguments[i + 1];
    return "";
}

TEST(Machine, AShapeIsSocketsAndCoresWithANodeForEachSocket) {
    const auto machine = machine_from_shape("2x4");
    ASSERT_TRUE(machine);
    EXPECT_EQ(machine->topology.cpus.size(), 8U);
    const auto arguments = qemu_arguments({}, *machine, {});
    EXPECT_EQ(after(arguments, "-smp"), "8,sockets=2,dies=1,cores=4,threads=1");
    EXPECT_EQ(after(arguments, "-numa", 0), "node,nodeid=0,cpus=0-3,memdev=m0");
    EXPECT_EQ(after(arguments, "-numa", 1), "node,nodeid=1,cpus=4-7,memdev=m1");
    EXPECT_EQ(after(arguments, "-numa", 2), "dist,src=1,dst=0,val=21");
}

TEST(Machine, LastLevelCachesAreDies) {
    const auto machine = machine_from_shape("2x2x2");
    ASSERT_TRUE(machine);
    EXPECT_EQ(machine->topology.llcs, 4U);
    EXPECT_EQ(after(qemu_arguments({}, *machine, {}), "-smp"), "8,sockets=2,dies=2,cores=2,threads=1");
}

TEST(Machine, WhatIsNoShapeIsAUsageError) {
    for (const char* text : {"", "2", "1x1", "0x4", "2x2x2x2", "-1x4", "2x", "8x16", "2x24000000"}) {
        const auto machine = machine_from_shape(text);
        ASSERT_FALSE(machine) << text;
        EXPECT_EQ(machine.error().error_class, ErrorClass::usage) << text;
    }
}

TEST(Machine, ThePluginHearsOfEveryMark) {
    MachineFiles files;
    files.plugin = "p.so";
    files.stream = "s";
    files.marks = {0x10, 0x20};
    EXPECT_EQ(after(qemu_arguments({}, *machine_from_shape("2x2"), files), "-plugin"), "p.so,stream=s,mark=10,mark=20");
}

} // namespace
} // namespace snapscope::emulator
