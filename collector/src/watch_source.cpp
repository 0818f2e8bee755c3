#include "watch_source.hpp"

#include "overhead_budget.hpp"
#include "server_cpu.hpp"
#include "word_lanes.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <fmt/format.h>
#include <mutex>
#include <thread>

namespace snapscope {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds turn_time{20};     // that words are watched, or until they are looked at again
constexpr milliseconds least_pace{50};    // from turn to turn
constexpr int setting_part = 20;          // setting takes at most a twentieth of the time
constexpr std::uint64_t hits_a_turn = 64; // of one word on one CPU, kept by the kernel
constexpr std::uint64_t no_limit = std::uint64_t{1} << 40U;
constexpr auto slots_every = std::chrono::seconds(1);

// Named words are watched as much as the budget pays for; those of a rotation take
// turns, and none of them needs more.
std::uint64_t limit_of(const WatchOptions& options, double hit_ns) {
    if (options.words.empty())
        return hits_a_turn;
    if (options.overhead >= 1)
        return no_limit;
    const double turn_ns = std::chrono::duration<double, std::nano>(turn_time).count();
    return std::max(hits_a_turn, static_cast<std::uint64_t>(options.overhead * turn_ns / hit_ns));
}

class Watcher final : public Source {
  public:
    Watcher(ProcFs proc, pid_t postmaster, const MemoryFile* memory, ServerWords words, double hit_ns,
            const WatchOptions& options)
        : proc_(std::move(proc)), postmaster_(postmaster), memory_(memory), words_(std::move(words)), hit_ns_(hit_ns),
          named_(options.words), steady_(!named_.empty() && named_.size() <= WordLanes::most),
          budget_(options.overhead), cpu_(proc_, postmaster), lanes_(words_, postmaster, limit_of(options, hit_ns)) {
        for (const auto& word : named_)
            sums_[word]; // also where nothing was seen of it
    }
    Watcher(const Watcher&) = delete;
    Watcher& operator=(const Watcher&) = delete;
    Watcher(Watcher&&) = delete;
    Watcher& operator=(Watcher&&) = delete;
    ~Watcher() override { end_thread(); }

    [[nodiscard]] std::vector<SeriesName> series() const override {
        return {{"watch_hits", "1"}, {"watched_ns", "ns"}};
    }
    void start(std::int64_t now_ns) override {
        start_ns_ = window_ns_ = now_ns;
        (void)cpu_.advance();
        if (steady_)
            watch_words(); // from here on, and not from when the thread has come to it
        thread_ = std::thread([this] { run(); });
    }
    std::vector<Value> sample(std::int64_t now_ns) override;
    void stop() override { end_thread(); }
    void finish(std::int64_t now_ns, Run& run) override;
    [[nodiscard]] SourceStatus status() const override;

  private:
    void run();
    void turn();
    void watch_words();
    void take_counts();
    [[nodiscard]] WatchedWord next_word();
    // False once the source is to end.
    bool wait_until(steady_clock::time_point until);
    void end_thread();

    ProcFs proc_;
    pid_t postmaster_;
    const MemoryFile* memory_;
    ServerWords words_;
    double hit_ns_;
    std::vector<WatchedWord> named_;
    bool steady_;            // all of them at once, from beginning to end
    std::size_t turned_ = 0; // named words that had a turn
    OverheadBudget budget_;  // the thread's
    ServerCpu cpu_;          // the recorder's
    std::atomic<double> server_share_{0};
    WatchRotation rotation_;
    WordLanes lanes_; // the thread's, once it runs
    std::vector<std::uint32_t> slots_;
    steady_clock::time_point slots_at_{};

    std::thread thread_;
    std::mutex ending_lock_;
    std::condition_variable ending_;
    bool ended_ = false;

    mutable std::mutex lock_; // of what follows
    WordSums sums_;
    std::uint64_t hits_ = 0, watched_ns_ = 0, turns_ = 0, held_back_ = 0, moved_ = 0, cut_ = 0, absent_ = 0;
    std::string trouble_;

    std::uint64_t last_hits_ = 0, last_watched_ns_ = 0;
    std::int64_t start_ns_ = 0, end_ns_ = 0, window_ns_ = 0;
};

bool Watcher::wait_until(steady_clock::time_point until) {
    std::unique_lock<std::mutex> held(ending_lock_);
    return !ending_.wait_until(held, until, [this] { return ended_; });
}

void Watcher::end_thread() {
    {
        const std::lock_guard<std::mutex> held(ending_lock_);
        ended_ = true;
    }
    ending_.notify_all();
    if (thread_.joinable())
        thread_.join();
}

WatchedWord Watcher::next_word() {
    return named_.empty() ? rotation_.next(slots_) : named_[turned_++ % named_.size()];
}

void Watcher::watch_words() {
    for (std::size_t i = 0; i < WordLanes::most && !lanes_.full(); ++i) {
        const auto word = next_word();
        if (lanes_.has(word))
            continue;
        const auto added = lanes_.add(word);
        const std::lock_guard<std::mutex> held(lock_);
        if (!added)
            trouble_ = added.error().message();
        else if (!*added)
            ++absent_;
    }
    lanes_.go_on();
}

void Watcher::take_counts() {
    const std::lock_guard<std::mutex> held(lock_);
    const auto taken = lanes_.take(sums_);
    hits_ += taken.hits;
    watched_ns_ += taken.watched_ns;
    cut_ += taken.cut;
    moved_ += taken.moved;
}

void Watcher::turn() {
    watch_words();
    (void)wait_until(steady_clock::now() + turn_time);
    if (!steady_)
        lanes_.stop();
    take_counts();
    {
        const std::lock_guard<std::mutex> held(lock_);
        ++turns_;
    }
    if (!steady_)
        lanes_.clear();
}

void Watcher::run() {
    auto last = steady_clock::now();
    std::uint64_t paid_hits = 0;
    for (auto next = last; wait_until(next);) {
        const auto now = steady_clock::now();
        const double elapsed = std::chrono::duration<double, std::nano>(now - last).count();
        last = now;
        std::uint64_t hits = 0;
        {
            const std::lock_guard<std::mutex> held(lock_);
            hits = hits_;
        }
        budget_.add(elapsed, server_share_.load() * elapsed, static_cast<double>(hits - paid_hits) * hit_ns_);
        paid_hits = hits;
        if (now - slots_at_ >= slots_every) {
            slots_ = taken_slots(words_, proc_, postmaster_, memory_);
            slots_at_ = steady_clock::now();
        }
        if (budget_.allows()) {
            turn();
        } else {
            lanes_.stop();
            const std::lock_guard<std::mutex> held(lock_);
            ++held_back_;
        }
        const auto took = steady_clock::now() - now - turn_time;
        next = steady_ ? now + turn_time : now + std::max<steady_clock::duration>(least_pace, setting_part * took);
    }
    lanes_.stop();
    take_counts();
}

std::vector<Value> Watcher::sample(std::int64_t now_ns) {
    const auto elapsed = static_cast<double>(std::max<std::int64_t>(now_ns - window_ns_, 1));
    window_ns_ = now_ns;
    if (const auto used = cpu_.advance())
        server_share_.store(static_cast<double>(*used) / elapsed);
    const std::lock_guard<std::mutex> held(lock_);
    std::vector<Value> values{static_cast<double>(hits_ - last_hits_),
                              static_cast<double>(watched_ns_ - last_watched_ns_)};
    last_hits_ = hits_;
    last_watched_ns_ = watched_ns_;
    return values;
}

void Watcher::finish(std::int64_t now_ns, Run& run) {
    end_ns_ = now_ns;
    end_thread();
    put_word_totals(sums_, run);
    if (!sums_.empty())
        put_word_matrices(sums_, run);
}

SourceStatus Watcher::status() const {
    SourceStatus status = counted_status("watch", start_ns_, end_ns_);
    const std::lock_guard<std::mutex> held(lock_);
    status.records = hits_;
    const auto complain = [&](const std::string& reason, const std::string& hint) {
        status.state = SourceState::degraded;
        status.reason += (status.reason.empty() ? "" : ", ") + reason;
        status.hint = hint;
    };
    if (held_back_ > 0)
        complain(fmt::format("left out {} of {} turns to stay within --overhead {:g}% ({:.0f} us a hit)", held_back_,
                             held_back_ + turns_, 100 * budget_.share(), hit_ns_ / 1e3),
                 "allow more with --overhead");
    if (moved_ > 0)
        complain(fmt::format("dropped {} words that moved while they were watched", moved_), "");
    if (!named_.empty() && cut_ > 0)
        complain(fmt::format("the kernel stopped a word {} times that was accessed too often for --overhead {:g}%",
                             cut_, 100 * budget_.share()),
                 "allow more with --overhead");
    if (!named_.empty() && absent_ > 0)
        complain(fmt::format("{} times a named slot had no entry to watch", absent_), "name slots that are taken");
    if (!trouble_.empty())
        complain(trouble_, "");
    return status;
}

std::string pace_of(const WatchOptions& options) {
    if (!options.words.empty() && options.words.size() <= WordLanes::most)
        return "the named words without a break";
    return fmt::format("two {}words at a time for {} ms, at most {} times a second",
                       options.words.empty() ? "" : "named ", turn_time.count(), 1000 / least_pace.count());
}

} // namespace

Result<std::unique_ptr<Source>> attach_watch(const ProcFs& proc, pid_t postmaster, const MemoryFile* memory,
                                             const WatchOptions& options) {
    auto words = find_words(proc, postmaster, memory);
    if (!words)
        return fail(words.error());
    for (const auto& word : options.words)
        if (word.kind != WordKind::lock && word.slot >= words->slots)
            return fail(fmt::format("--watch: there is no {}: the server has {} slots", to_string(word), words->slots),
                        "slots are numbered from 0", ErrorClass::usage);
    const auto hit = watch_hit_ns();
    if (!hit)
        return fail(hit.error());
    if (const auto works = WordWatch::on_every_cpu(words->lock_state, 1); !works)
        return fail(works.error());
    if (options.note)
        options.note(
            fmt::format("watch: {:.1f} us for each access to a watched word; {}", *hit / 1e3, pace_of(options)));
    return std::make_unique<Watcher>(proc, postmaster, memory, std::move(*words), *hit, options);
}

Result<std::string> probe_watch(const ProcFs& proc, pid_t postmaster, const MemoryFile* memory) {
    const auto words = find_words(proc, postmaster, memory);
    if (!words)
        return fail(words.error());
    const auto hit = watch_hit_ns();
    if (!hit)
        return fail(hit.error());
    return fmt::format("{:.1f} us for each access to a watched word", *hit / 1e3);
}

} // namespace snapscope
