#include "sampler.hpp"

#include <snapscope/collector/source.hpp>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <pthread.h>

namespace snapscope::mirror {
namespace {

constexpr std::int64_t ns_per_ms = 1'000'000;
constexpr std::int64_t ns_per_s = 1'000'000'000;
constexpr std::int64_t search_every_ns = 100 * ns_per_ms;
constexpr std::int64_t check_every_ns = 60 * ns_per_s;
constexpr std::int64_t shortest_proc_pace_ns = 10 * ns_per_ms;
constexpr std::int64_t longest_proc_pace_ns = 250 * ns_per_ms;
constexpr std::int64_t proc_share = 1000; // reading PGPROC takes at most this part of the time
constexpr std::int64_t budget_over_ns = 500 * ns_per_ms;
constexpr int tries = 3; // of a torn sample

std::uint64_t thread_cpu_ns() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * ns_per_s + static_cast<std::uint64_t>(now.tv_nsec);
}

void sleep_until(std::int64_t at_ns) {
    const timespec at{at_ns / ns_per_s, at_ns % ns_per_s};
    ::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr);
}

} // namespace

Sampler::Sampler(const ServerImage& image, Anatomy anatomy, SamplerOptions options)
    : image_(image), options_(options), anatomy_(std::move(anatomy)), dense_(anatomy_), procs_(anatomy_),
      tally_(anatomy_.slots), period_ns_(static_cast<double>(ns_per_s) / options.rate_hz) {
    if (const auto counters = read_counters(image.memory(), anatomy_)) {
        last_counters_ = *counters;
        last_next_xid_ = counters->next_xid;
    }
}

void Sampler::start() {
    open_mapping();
    thread_ = std::thread([this] { run(); });
}

void Sampler::stop() {
    stop_ = true;
    if (thread_.joinable())
        thread_.join();
    const std::scoped_lock lock(mutex_);
    mapping_.reset();
}

void Sampler::run() {
    ::pthread_setname_np(::pthread_self(), "mirror");
    const std::int64_t start = monotonic_ns();
    next_second_ns_ = start + ns_per_s;
    next_minute_ns_ = start + check_every_ns;
    budget_from_ns_ = start;
    budget_from_cpu_ns_ = thread_cpu_ns();
    double next = static_cast<double>(start);
    while (!stop_) {
        tick();
        const std::int64_t now = monotonic_ns();
        keep_budget(now);
        next += period_ns_;
        const auto late = static_cast<double>(now) - next;
        if (late > 0) {
            const double skipped = std::ceil(late / period_ns_);
            next += skipped * period_ns_;
            const std::scoped_lock lock(mutex_);
            tally_.add_loss(&WindowTally::late_ticks, static_cast<std::uint64_t>(skipped));
        }
        sleep_until(static_cast<std::int64_t>(next));
    }
    cpu_ns_ = thread_cpu_ns();
}

void Sampler::tick() {
    const std::int64_t now = monotonic_ns();
    if (lost_) {
        if (now >= next_search_ns_)
            find_again();
        return;
    }
    look();
    if (!lost_ && now >= next_procs_ns_) {
        look_at_procs();
        const std::int64_t took = monotonic_ns() - now;
        next_procs_ns_ = now + std::clamp(took * proc_share, shortest_proc_pace_ns, longest_proc_pace_ns);
    }
    if (!lost_)
        look_around(now);
}

const Memory& Sampler::memory() const {
    if (mapping_)
        return *mapping_;
    return image_.memory();
}

void Sampler::look() {
    const std::scoped_lock lock(mutex_);
    const DenseSample& seen = dense_.seen();
    for (int i = 0; i < tries; ++i) {
        if (const auto read = dense_.look(memory()); !read) {
            tally_.add_loss(&WindowTally::unreadable);
            return lose(read.error().what);
        }
        if (seen.torn == Torn::no)
            break;
    }
    if (seen.counters.next_xid < last_next_xid_)
        return lose("the xid counter went back");
    last_next_xid_ = seen.counters.next_xid;
    last_counters_ = seen.counters;
    if (seen.torn == Torn::roster)
        tally_.add_loss(&WindowTally::torn_roster);
    if (seen.torn == Torn::counters)
        tally_.add_loss(&WindowTally::torn_counters);
    tally_.add(seen);
}

void Sampler::look_at_procs() {
    const std::scoped_lock lock(mutex_);
    const bool has_xmin = anatomy_.layout.proc_xmin.has_value();
    if (!has_xmin && dense_.seen().torn == Torn::no)
        tally_.add_xmins(dense_.seen());
    for (int i = 0; i < tries; ++i) {
        if (const auto read = procs_.look(memory()); !read) {
            tally_.add_loss(&WindowTally::unreadable);
            return lose(read.error().what);
        }
        if (procs_.seen().torn == Torn::no)
            return tally_.add(procs_.seen(), last_next_xid_, has_xmin);
    }
    tally_.add_loss(&WindowTally::torn_roster);
}

// With the mutex held.
void Sampler::lose(const std::string& why) {
    mapping_.reset(); // a frozen segment must not be kept from the kernel
    if (!lost_)
        ++gaps_;
    lost_ = true;
    trouble_ = why;
    next_search_ns_ = 0;
}

bool Sampler::segment_is_same() const {
    const auto segment = image_.segment();
    return segment && segment->inode == anatomy_.segment.inode && segment->start == anatomy_.segment.start;
}

// Once a second, and each minute all checks.
void Sampler::look_around(std::int64_t now_ns) {
    if (now_ns < next_second_ns_)
        return;
    next_second_ns_ = now_ns + ns_per_s;
    if (!segment_is_same()) {
        const std::scoped_lock lock(mutex_);
        return lose("the server has new shared memory");
    }
    check_mapping();
    if (now_ns < next_minute_ns_)
        return;
    next_minute_ns_ = now_ns + check_every_ns;
    const auto anatomy = image_.locate();
    if (!anatomy) {
        const std::scoped_lock lock(mutex_);
        lose(anatomy.error().what);
    }
}

// After a restart of the backends: a new segment, checked like the first.
void Sampler::find_again() {
    const std::int64_t now = monotonic_ns();
    next_search_ns_ = now + search_every_ns;
    auto anatomy = image_.locate();
    const auto counters = anatomy ? read_counters(image_.memory(), *anatomy) : fail(anatomy.error());
    const std::scoped_lock lock(mutex_);
    if (!counters || anatomy->slots != anatomy_.slots) {
        trouble_ = counters ? "the server came back with another number of slots" : counters.error().what;
        return;
    }
    anatomy_ = std::move(*anatomy);
    dense_ = DenseReader(anatomy_);
    procs_ = ProcReader(anatomy_);
    last_next_xid_ = counters->next_xid;
    last_counters_ = *counters;
    lost_ = false;
    trouble_.clear();
    open_mapping();
}

// With the mutex held, or before the thread runs.
void Sampler::open_mapping() {
    mapping_.reset();
    not_mapped_.clear();
    if (!options_.map)
        return;
    auto mapping = SharedMapping::open(image_, anatomy_);
    if (mapping)
        mapping_ = std::move(*mapping);
    else
        not_mapped_ = mapping.error().message();
}

void Sampler::check_mapping() {
    const std::scoped_lock lock(mutex_);
    if (!mapping_)
        return;
    mapping_->check_risk();
    if (mapping_->held())
        return;
    not_mapped_ = mapping_->why_let_go();
    mapping_.reset();
}

void Sampler::keep_budget(std::int64_t now_ns) {
    const std::int64_t over = now_ns - budget_from_ns_;
    if (over < budget_over_ns)
        return;
    const std::uint64_t cpu = thread_cpu_ns();
    cpu_ns_ = cpu;
    const double share = static_cast<double>(cpu - budget_from_cpu_ns_) / static_cast<double>(over);
    budget_from_ns_ = now_ns;
    budget_from_cpu_ns_ = cpu;
    constexpr double room = 0.8;
    constexpr double step = 1.25;
    const double wanted = static_cast<double>(ns_per_s) / options_.rate_hz;
    if (share > options_.budget)
        period_ns_ *= std::min(2.0, share / options_.budget * 1.05);
    else if (share < options_.budget * room)
        period_ns_ = std::max(wanted, period_ns_ / step);
}

Reading Sampler::take() {
    const std::scoped_lock lock(mutex_);
    if (!lost_ && !segment_is_same())
        lose("the server has new shared memory");
    Reading reading;
    if (!lost_) {
        const auto counters = read_counters(image_.memory(), anatomy_);
        if (!counters || counters->next_xid < last_next_xid_)
            lose(counters ? "the xid counter went back" : counters.error().what);
        else
            reading.counters = *counters;
    }
    reading.gaps = gaps_;
    reading.window = tally_.take_window();
    return reading;
}

Reading Sampler::take_last() {
    const std::scoped_lock lock(mutex_);
    Reading reading;
    reading.counters = last_counters_;
    reading.gaps = gaps_ - (lost_ ? 1 : 0); // that is the end itself
    reading.window = tally_.take_window();
    return reading;
}

std::uint64_t Sampler::gaps() const {
    const std::scoped_lock lock(mutex_);
    return gaps_;
}

std::string Sampler::trouble() const {
    const std::scoped_lock lock(mutex_);
    return trouble_;
}

std::string Sampler::not_mapped() const {
    const std::scoped_lock lock(mutex_);
    return not_mapped_;
}

} // namespace snapscope::mirror
