#include "lease_keeper.hpp"

#include <snapscope/collector/ticks.hpp>

#include <algorithm>
#include <chrono>

namespace snapscope {
namespace {

constexpr double wanted_lease_ns = 1e9;
constexpr auto renewal_period = std::chrono::milliseconds(200);

} // namespace

LeaseKeeper::LeaseKeeper(const MemoryFile& file, double ticks_per_ns)
    : file_(file), lease_ticks_(std::min(static_cast<std::uint64_t>(wanted_lease_ns * ticks_per_ns),
                                         file.header().max_lease_ticks / 4 * 3)) {
    renew();
    __atomic_store_n(&file_.control()->enabled, 1U, __ATOMIC_RELEASE);
    thread_ = std::jthread([this](const std::stop_token& stopping) { run(stopping); });
}

void LeaseKeeper::renew() {
    const std::uint64_t now = read_ticks(file_.header().clock);
    if (until_ != 0 && now >= until_)
        ++lapses_;
    until_ = now + lease_ticks_;
    __atomic_store_n(&file_.control()->lease_ticks, until_, __ATOMIC_RELEASE);
}

void LeaseKeeper::run(const std::stop_token& stopping) {
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, stopping, renewal_period, [&] { return stopping.stop_requested(); }))
        renew();
}

void LeaseKeeper::stop() {
    if (!thread_.joinable())
        return;
    thread_.request_stop();
    thread_.join();
    __atomic_store_n(&file_.control()->enabled, 0U, __ATOMIC_RELEASE);
    __atomic_store_n(&file_.control()->lease_ticks, std::uint64_t{0}, __ATOMIC_RELEASE);
}

} // namespace snapscope
