#include <snapscope/collector/kernel_limits.hpp>

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace snapscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

KernelFacts open_kernel() {
    KernelFacts facts;
    facts.perf_event_paranoid = -1;
    facts.lockdown = "none";
    facts.btf = true;
    facts.ptrace_scope = 0;
    return facts;
}

KernelLimit limit(const KernelFacts& facts, const std::string& name) {
    const auto all = kernel_limits(facts);
    const auto found = std::ranges::find(all, name, &KernelLimit::name);
    EXPECT_NE(found, all.end()) << name;
    return found == all.end() ? KernelLimit{} : *found;
}

TEST(KernelLimits, OfAnOpenKernelAreNone) {
    const auto all = kernel_limits(open_kernel());
    EXPECT_EQ(all.size(), 6U);
    for (const auto& one : all)
        EXPECT_FALSE(one.limits()) << one.name << ": " << one.reason;
}

TEST(KernelLimits, EachSaysWhyAndWhatToDo) {
    KernelFacts facts;
    facts.perf_event_paranoid = 4;
    facts.lockdown = "confidentiality";
    facts.filtered_calls = {"bpf"};
    facts.no_pmu = "no hardware PMU here";
    facts.ptrace_scope = 2;
    for (const auto& one : kernel_limits(facts)) {
        EXPECT_TRUE(one.limits()) << one.name;
        EXPECT_FALSE(one.reason.empty()) << one.name;
        EXPECT_FALSE(one.hint.empty()) << one.name;
    }
}

TEST(KernelLimits, OfPerfGoWithTheCapability) {
    auto facts = open_kernel();
    facts.perf_event_paranoid = 2;
    EXPECT_THAT(limit(facts, "perf_event_paranoid").sources, ElementsAre("watch", "hitm"));
    EXPECT_THAT(limit(facts, "perf_event_paranoid").hint, HasSubstr("CAP_PERFMON"));
    facts.can_perfmon = true;
    EXPECT_THAT(limit(facts, "perf_event_paranoid").sources, IsEmpty());
    EXPECT_EQ(limit(facts, "perf_event_paranoid").value, "2");
}

TEST(KernelLimits, OfLockdownDependOnItsDegree) {
    auto facts = open_kernel();
    facts.lockdown = "integrity";
    EXPECT_THAT(limit(facts, "lockdown").sources, ElementsAre("pcm"));
    facts.lockdown = std::nullopt; // not told
    EXPECT_FALSE(limit(facts, "lockdown").limits());
    EXPECT_EQ(limit(facts, "lockdown").value, "");
}

TEST(KernelLimits, OfPtraceNameTheMirror) {
    auto facts = open_kernel();
    facts.ptrace_scope = 1;
    EXPECT_THAT(limit(facts, "ptrace_scope").sources, ElementsAre("mirror"));
    facts.can_ptrace = true;
    EXPECT_FALSE(limit(facts, "ptrace_scope").limits());
    facts.ptrace_scope = 3;
    EXPECT_TRUE(limit(facts, "ptrace_scope").limits()) << "no capability helps";
    EXPECT_THAT(limit(facts, "ptrace_scope").hint, HasSubstr("boot"));
}

TEST(KernelLimits, OfSeccompNameEachSourceOnce) {
    auto facts = open_kernel();
    facts.filtered_calls = {"bpf", "perf_event_open"};
    EXPECT_THAT(limit(facts, "seccomp").sources, ElementsAre("ebpf", "sched", "watch", "hitm"));
    EXPECT_THAT(limit(facts, "seccomp").reason, HasSubstr("bpf perf_event_open"));
}

TEST(KernelLimits, AreFoundOnThisHost) {
    const auto facts = kernel_facts();
    EXPECT_TRUE(facts.perf_event_paranoid) << "every Linux has it";
    EXPECT_EQ(kernel_limits(facts).size(), 6U);
}

} // namespace
} // namespace snapscope
