#include <snapscope/emulator/symbols.hpp>

#include <gtest/gtest.h>

extern "C" {

// Looked for in this very program.
int snapscope_test_word = 7;

__attribute__((noinline)) int snapscope_test_callee(int x) {
    __asm__ volatile("");
    return x + snapscope_test_word;
}

__attribute__((noinline)) int snapscope_test_caller(int x) {
    return 2 * snapscope_test_callee(x);
}
}

namespace snapscope::emulator {
namespace {

constexpr const char* own = "/proc/self/exe";

TEST(Symbols, FindsFunctionsAndVariablesOfAProgram) {
    const auto symbols = Symbols::read(own);
    ASSERT_TRUE(symbols) << symbols.error().message();
    EXPECT_TRUE(symbols->variable("snapscope_test_word"));
    const auto callee = symbols->function("snapscope_test_callee");
    ASSERT_TRUE(callee);
    EXPECT_EQ(symbols->function_at(*callee + 1), "snapscope_test_callee");
    EXPECT_FALSE(symbols->function("snapscope_test_word")) << "a variable is no function";
    EXPECT_EQ(symbols->function_at(0), "");
}

TEST(Symbols, FindsWhereOneFunctionCallsAnother) {
    EXPECT_EQ(snapscope_test_caller(1), 16);
    const auto symbols = Symbols::read(own);
    ASSERT_TRUE(symbols);
    const auto sites =
        call_sites(own, *symbols, {"snapscope_test_caller", "no_such_function"}, "snapscope_test_callee");
    ASSERT_TRUE(sites);
    ASSERT_EQ(sites->size(), 1U);
    EXPECT_EQ(symbols->function_at(sites->front()), "snapscope_test_caller");
}

TEST(Symbols, WhatIsNoProgramIsAnError) {
    EXPECT_FALSE(Symbols::read("/etc/passwd"));
    EXPECT_FALSE(Symbols::read("/no/such/file"));
}

} // namespace
} // namespace snapscope::emulator
