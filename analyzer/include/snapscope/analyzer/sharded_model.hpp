// The coherence model on several threads.  Lines are independent of each other,
// and with a prefetcher pages are, so each thread has some of them and gets its
// accesses in their order: the counts are those of one thread, to the last one.
#pragma once

#include <snapscope/analyzer/coherence.hpp>

#include <memory>
#include <vector>

namespace snapscope {

class ShardedModel {
  public:
    // THREADS of 1 or less: the caller's own.  TOPOLOGY and LINES must live as long.
    ShardedModel(const Topology& topology, const LineSpace& lines, Protocol protocol, Prefetch prefetch,
                 std::size_t threads);
    ShardedModel(const ShardedModel&) = delete;
    ShardedModel& operator=(const ShardedModel&) = delete;
    ShardedModel(ShardedModel&&) = delete;
    ShardedModel& operator=(ShardedModel&&) = delete;
    ~ShardedModel();

    // In the order of time.
    void add(const Access& access) {
        const std::size_t shard = shard_of_[access.line];
        std::vector<Access>& batch = batches_[shard];
        batch.push_back(access);
        if (batch.size() == batch_size)
            hand_over(shard);
    }
    // Waits for all; nothing may be added afterwards.
    [[nodiscard]] CoherenceCounts finish();

    static constexpr std::size_t batch_size = std::size_t{1} << 15U;

  private:
    class Worker;
    void hand_over(std::size_t shard);

    std::vector<std::uint8_t> shard_of_; // by line
    std::vector<std::vector<Access>> batches_;
    std::vector<std::unique_ptr<Worker>> workers_;
};

} // namespace snapscope
