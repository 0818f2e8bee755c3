#include "word_watch.hpp"

#include <snapscope/base/cpu_list.hpp>
#include <snapscope/collector/procfs.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

namespace snapscope {
namespace {

tl::unexpected<Error> watch_error(int error) {
    auto failure = fail_errno("cannot set a hardware watchpoint", error).value();
    failure.error_class = ErrorClass::unavailable;
    if (error == ENOSPC)
        failure = {ErrorClass::unavailable, "the processor's debug registers are in use",
                   "another tool watches memory; end it"};
    else if (error == EACCES || error == EPERM)
        failure.hint = "run with CAP_PERFMON";
    else if (error == EMFILE)
        failure.hint = "allow more open files (ulimit -n)";
    return fail(std::move(failure));
}

UniqueFd open_event(perf_event_attr attributes, pid_t pid, int cpu, int group) {
    return UniqueFd(
        static_cast<int>(::syscall(SYS_perf_event_open, &attributes, pid, cpu, group, PERF_FLAG_FD_CLOEXEC)));
}

perf_event_attr watch(std::uint64_t address, std::uint32_t what) {
    perf_event_attr attributes{};
    attributes.size = sizeof attributes;
    attributes.type = PERF_TYPE_BREAKPOINT;
    attributes.bp_type = what;
    attributes.bp_addr = address;
    attributes.bp_len = HW_BREAKPOINT_LEN_4;
    attributes.exclude_kernel = 1;
    attributes.exclude_hv = 1;
    attributes.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    return attributes;
}

// What read() of a group of two gives.
struct GroupCounts {
    std::uint64_t number, enabled_ns, running_ns, accesses, writes;
};

std::optional<GroupCounts> counts_of(const UniqueFd& group) {
    GroupCounts counts{};
    if (::read(group.get(), &counts, sizeof counts) != static_cast<ssize_t>(sizeof counts))
        return std::nullopt;
    return counts;
}

double thread_ns() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

Result<double> measure_hit() {
    constexpr int accesses = 400;
    static std::uint32_t word = 0;
    volatile std::uint32_t* const watched = &word;
    auto watch = WordWatch::in_this_thread(reinterpret_cast<std::uint64_t>(&word), 2 * accesses);
    if (!watch)
        return fail(watch.error());
    std::array<double, 3> rounds{};
    watch->go_on();
    for (auto& round : rounds) {
        const double start = thread_ns();
        for (int i = 0; i < accesses / 2; ++i)
            *watched = static_cast<std::uint32_t>(i);
        round = (thread_ns() - start) / (accesses / 2.0);
    }
    watch->stop();
    if (watch->read().front().writes != rounds.size() * accesses / 2)
        return fail(Error{ErrorClass::unavailable, "a hardware watchpoint on this program itself does not fire",
                          "the hypervisor hides the debug registers"});
    std::ranges::sort(rounds);
    return rounds[rounds.size() / 2];
}

} // namespace

Status WordWatch::add(pid_t pid, int cpu, std::uint64_t address) {
    auto all = watch(address, HW_BREAKPOINT_RW);
    all.disabled = 1;
    all.sample_period = limit_;
    Pair pair;
    pair.cpu = static_cast<std::uint32_t>(std::max(cpu, 0));
    pair.accesses = open_event(all, pid, cpu, -1);
    if (pair.accesses)
        pair.writes = open_event(watch(address, HW_BREAKPOINT_W), pid, cpu, pair.accesses.get());
    if (!pair.accesses || !pair.writes)
        return watch_error(errno);
    pairs_.push_back(std::move(pair));
    return {};
}

Result<WordWatch> WordWatch::on_every_cpu(std::uint64_t address, std::uint64_t limit) {
    WordWatch word(limit);
    for (const std::uint32_t cpu : online_cpus())
        SNAPSCOPE_TRY(word.add(-1, static_cast<int>(cpu), address));
    return word;
}

Result<WordWatch> WordWatch::in_this_thread(std::uint64_t address, std::uint64_t limit) {
    WordWatch word(limit);
    SNAPSCOPE_TRY(word.add(0, -1, address));
    return word;
}

// Each time that the limit is reached uses up one refresh, and the last one stops
// the event; so there are never more than two left.
void WordWatch::go_on() {
    for (auto& pair : pairs_) {
        const auto counts = counts_of(pair.accesses);
        if (counts && pair.granted >= counts->accesses / limit_ + 2) {
            ::ioctl(pair.accesses.get(), PERF_EVENT_IOC_ENABLE, 0);
        } else {
            ::ioctl(pair.accesses.get(), PERF_EVENT_IOC_REFRESH, 1);
            ++pair.granted;
        }
    }
}

void WordWatch::stop() {
    for (const auto& pair : pairs_)
        ::ioctl(pair.accesses.get(), PERF_EVENT_IOC_DISABLE, 0);
}

std::vector<CpuAccesses> WordWatch::read() const {
    std::vector<CpuAccesses> rows;
    for (const auto& pair : pairs_) {
        const auto counts = counts_of(pair.accesses);
        if (!counts)
            continue;
        CpuAccesses row;
        row.cpu = pair.cpu;
        row.writes = counts->writes;
        row.reads = counts->accesses - std::min(counts->writes, counts->accesses);
        row.watched_ns = counts->running_ns;
        row.cut = counts->accesses / limit_ >= pair.granted;
        rows.push_back(row);
    }
    return rows;
}

std::vector<std::uint32_t> online_cpus() {
    const auto text = read_text("/sys/devices/system/cpu/online");
    auto cpus = text ? parse_cpu_list(*text) : std::nullopt;
    if (cpus && !cpus->empty())
        return std::move(*cpus);
    std::vector<std::uint32_t> all(static_cast<std::size_t>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN))));
    for (std::uint32_t cpu = 0; cpu < all.size(); ++cpu)
        all[cpu] = cpu;
    return all;
}

Result<double> watch_hit_ns() {
    static std::optional<double> known;
    if (!known) {
        const auto ns = measure_hit();
        if (!ns)
            return fail(ns.error());
        known = *ns;
    }
    return *known;
}

} // namespace snapscope
