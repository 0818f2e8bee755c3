#include "watch_source.hpp"

#include "overhead_budget.hpp"
#include "server_cpu.hpp"
#include "word_sums.hpp"
#include "word_watch.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <thread>

namespace snapscope {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::size_t words_at_once = 2;  // of two debug registers each
constexpr milliseconds turn_time{20};     // that words are watched
constexpr milliseconds least_pace{50};    // from turn to turn
constexpr int setting_part = 20;          // setting takes at most a twentieth of the time
constexpr std::uint64_t hits_a_turn = 64; // of one word on one CPU, kept by the kernel
constexpr auto slots_every = std::chrono::seconds(1);
constexpr std::size_t most_slots_seen = 256;

class Watcher final : public Source {
  public:
    Watcher(ProcFs proc, pid_t postmaster, const MemoryFile* memory, ServerWords words, double hit_ns,
            const WatchOptions& options)
        : proc_(std::move(proc)), postmaster_(postmaster), memory_(memory), words_(std::move(words)), hit_ns_(hit_ns),
          budget_(options.overhead), cpu_(proc_, postmaster) {}
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
        thread_ = std::thread([this] { run(); });
    }
    std::vector<Value> sample(std::int64_t now_ns) override;
    void stop() override { end_thread(); }
    void finish(std::int64_t now_ns, Run& run) override;
    [[nodiscard]] SourceStatus status() const override;

  private:
    void run();
    void turn();
    [[nodiscard]] std::vector<std::uint32_t> taken_slots() const;
    void add(const WatchedWord& word, const WordWatch& watch);
    // False once the source is to end.
    bool wait_until(steady_clock::time_point until);
    void end_thread();

    ProcFs proc_;
    pid_t postmaster_;
    const MemoryFile* memory_;
    ServerWords words_;
    double hit_ns_;
    OverheadBudget budget_; // the thread's
    ServerCpu cpu_;         // the recorder's
    std::atomic<double> server_share_{0};
    WatchRotation rotation_;
    std::vector<std::uint32_t> slots_;
    steady_clock::time_point slots_at_{};

    std::thread thread_;
    std::mutex ending_lock_;
    std::condition_variable ending_;
    bool ended_ = false;

    mutable std::mutex lock_; // of what follows
    WordSums sums_;
    std::uint64_t hits_ = 0, watched_ns_ = 0, turns_ = 0, held_back_ = 0, moved_ = 0, cut_ = 0;
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

std::vector<std::uint32_t> Watcher::taken_slots() const {
    std::vector<std::uint32_t> slots;
    if (memory_ != nullptr) {
        for (std::uint32_t slot = 0; slot < words_.slots && slots.size() < most_slots_seen; ++slot)
            if (__atomic_load_n(&memory_->counters(slot)->owner_pid, __ATOMIC_RELAXED) != 0)
                slots.push_back(slot);
        return slots;
    }
    for (const pid_t child : proc_.children_of(postmaster_)) {
        if (slots.size() >= most_slots_seen)
            break;
        if (const auto slot = slot_of(words_, child))
            slots.push_back(*slot);
    }
    std::ranges::sort(slots);
    return slots;
}

void Watcher::add(const WatchedWord& word, const WordWatch& watch) {
    auto& by_cpu = sums_[word];
    for (const auto& row : watch.read()) {
        CpuAccesses& sum = by_cpu[row.cpu];
        sum.cpu = row.cpu;
        sum.reads += row.reads;
        sum.writes += row.writes;
        sum.watched_ns += row.watched_ns;
        cut_ += row.cut ? 1U : 0U;
        hits_ += row.reads + row.writes;
        watched_ns_ += row.watched_ns;
    }
}

// Two words for a while.
void Watcher::turn() {
    struct Lane {
        WatchedWord word;
        std::uint64_t address = 0;
        WordWatch watch;
    };
    std::vector<Lane> lanes;
    while (lanes.size() < words_at_once) {
        const auto word = rotation_.next(slots_);
        if (std::ranges::any_of(lanes, [&](const Lane& lane) { return lane.word == word; }))
            break;
        const auto address = address_of(words_, postmaster_, word);
        if (!address)
            break;
        auto watch = WordWatch::on_every_cpu(*address, hits_a_turn);
        if (!watch) {
            const std::lock_guard<std::mutex> held(lock_);
            trouble_ = watch.error().message();
            break;
        }
        lanes.push_back({word, *address, std::move(*watch)});
    }
    for (auto& lane : lanes)
        lane.watch.start();
    (void)wait_until(steady_clock::now() + turn_time);
    for (auto& lane : lanes)
        lane.watch.stop();
    const std::lock_guard<std::mutex> held(lock_);
    turns_ += lanes.empty() ? 0U : 1U;
    for (const auto& lane : lanes) {
        // Connections that come and go move entries of the dense array.
        if (address_of(words_, postmaster_, lane.word) == lane.address)
            add(lane.word, lane.watch);
        else
            ++moved_;
    }
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
            slots_ = taken_slots();
            slots_at_ = steady_clock::now();
        }
        if (budget_.allows()) {
            turn();
        } else {
            const std::lock_guard<std::mutex> held(lock_);
            ++held_back_;
        }
        const auto took = steady_clock::now() - now - turn_time;
        next = now + std::max<steady_clock::duration>(least_pace, setting_part * took);
    }
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
    if (!trouble_.empty())
        complain(trouble_, "");
    return status;
}

} // namespace

Result<std::unique_ptr<Source>> attach_watch(const ProcFs& proc, pid_t postmaster, const MemoryFile* memory,
                                             const WatchOptions& options) {
    auto words = find_words(proc, postmaster, memory);
    if (!words)
        return fail(words.error());
    const auto hit = watch_hit_ns();
    if (!hit)
        return fail(hit.error());
    if (const auto works = WordWatch::on_every_cpu(words->lock_state, 1); !works)
        return fail(works.error());
    if (options.note)
        options.note(fmt::format("watch: {:.1f} us for each access to a watched word; two words at a time for {} ms, "
                                 "at most {} times a second",
                                 *hit / 1e3, turn_time.count(), 1000 / least_pace.count()));
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
