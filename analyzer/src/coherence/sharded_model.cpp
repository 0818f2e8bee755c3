#include <snapscope/analyzer/sharded_model.hpp>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <queue>
#include <thread>

namespace snapscope {
namespace {

constexpr std::size_t most_threads = 64;
constexpr std::size_t most_waiting = 4; // batches a thread; whoever adds waits

} // namespace

// A model, and a thread of its own unless there is only one.
class ShardedModel::Worker {
  public:
    Worker(std::unique_ptr<CoherenceModel> model, bool own_thread) : model_(std::move(model)) {
        if (own_thread)
            thread_ = std::thread([this] { work(); });
    }
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;
    Worker(Worker&&) = delete;
    Worker& operator=(Worker&&) = delete;
    ~Worker() { stop(); }

    // Takes BATCH and leaves an empty one with room.
    void give(std::vector<Access>& batch) {
        if (!thread_.joinable()) {
            model_->run(batch);
            batch.clear();
            return;
        }
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return waiting_.size() < most_waiting; });
        waiting_.push(std::move(batch));
        batch = {};
        if (!spare_.empty()) {
            batch = std::move(spare_.back());
            spare_.pop_back();
        }
        changed_.notify_all();
        lock.unlock();
        batch.reserve(batch_size);
    }

    void stop() {
        if (!thread_.joinable())
            return;
        {
            const std::lock_guard lock(mutex_);
            ended_ = true;
            changed_.notify_all();
        }
        thread_.join();
    }

    [[nodiscard]] const CoherenceCounts& counts() const { return model_->counts(); }

  private:
    void work() {
        std::unique_lock lock(mutex_);
        for (;;) {
            changed_.wait(lock, [this] { return ended_ || !waiting_.empty(); });
            if (waiting_.empty())
                return;
            std::vector<Access> batch = std::move(waiting_.front());
            waiting_.pop();
            changed_.notify_all();
            lock.unlock();
            model_->run(batch);
            batch.clear();
            lock.lock();
            spare_.push_back(std::move(batch));
        }
    }

    std::unique_ptr<CoherenceModel> model_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::queue<std::vector<Access>> waiting_;
    std::vector<std::vector<Access>> spare_;
    bool ended_ = false;
    std::thread thread_;
};

ShardedModel::ShardedModel(const Topology& topology, const LineSpace& lines, Protocol protocol, Prefetch prefetch,
                           std::size_t threads) {
    const std::size_t shards = std::clamp<std::size_t>(threads, 1, most_threads);
    for (LineId line = 0; line < lines.lines(); ++line) {
        const std::size_t unit = prefetch == Prefetch::none ? line : lines.page(line);
        shard_of_.push_back(static_cast<std::uint8_t>(unit % shards));
    }
    batches_.resize(shards);
    for (std::size_t i = 0; i < shards; ++i) {
        batches_[i].reserve(batch_size);
        workers_.push_back(
            std::make_unique<Worker>(make_coherence_model(topology, lines, protocol, prefetch), shards > 1));
    }
}

ShardedModel::~ShardedModel() = default;

void ShardedModel::hand_over(std::size_t shard) {
    workers_[shard]->give(batches_[shard]);
}

CoherenceCounts ShardedModel::finish() {
    CoherenceCounts counts;
    for (std::size_t i = 0; i < workers_.size(); ++i) {
        if (!batches_[i].empty())
            hand_over(i);
        workers_[i]->stop();
        counts += workers_[i]->counts();
    }
    return counts;
}

} // namespace snapscope
