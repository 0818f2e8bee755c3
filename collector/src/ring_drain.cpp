#include "ring_drain.hpp"

namespace snapscope {

void RingDrain::publish_tail() {
    __atomic_store_n(&shared_tail_->tail, tail_, __ATOMIC_RELEASE);
}

void RingDrain::skip_all(bool touched) {
    tail_ = touched ? __atomic_load_n(&head_->head, __ATOMIC_ACQUIRE) : 0;
    if (__atomic_load_n(&shared_tail_->tail, __ATOMIC_RELAXED) != tail_)
        publish_tail();
}

std::uint64_t RingDrain::drain(std::vector<snapscope_record>& out) {
    const std::uint64_t head = __atomic_load_n(&head_->head, __ATOMIC_ACQUIRE);
    const std::uint64_t published = head - tail_;
    if (published == 0)
        return 0;
    if (published > capacity_) {
        // Overwritten, or gone back: nothing between can be believed.
        const std::uint64_t lost = head > tail_ ? published : 1;
        tail_ = head;
        publish_tail();
        return lost;
    }
    for (; tail_ != head; ++tail_)
        out.push_back(records_[tail_ & (capacity_ - 1)]);
    publish_tail();
    return 0;
}

} // namespace snapscope
