// One slot's ring as its consumer sees it (probes/abi.h): copies out what the
// owner has published.  Pure memory: tests run it on rings of their own.
#pragma once

#include <snapscope/probes/abi.h>

#include <cstdint>
#include <vector>

namespace snapscope {

class RingDrain {
  public:
    RingDrain(const snapscope_head* head, const snapscope_record* records, snapscope_tail* tail, std::uint32_t capacity)
        : head_(head), records_(records), shared_tail_(tail), capacity_(capacity) {}

    // Skips all that was published until now; without `touched` the ring was
    // never written to, and is not read either.
    void skip_all(bool touched);

    // Appends the published records to OUT and frees their places.  Returns
    // how many records a head that cannot be true has cost (0 in a sound server).
    std::uint64_t drain(std::vector<snapscope_record>& out);

  private:
    void publish_tail();

    const snapscope_head* head_;
    const snapscope_record* records_;
    snapscope_tail* shared_tail_;
    std::uint64_t tail_ = 0;
    std::uint32_t capacity_;
};

} // namespace snapscope
