#include "interleaver.hpp"

#include <algorithm>

namespace snapscope {
namespace {

constexpr auto later = [](const Piece& a, const Piece& b) {
    return a.time_ns != b.time_ns ? a.time_ns > b.time_ns : a.sequence > b.sequence;
};

} // namespace

void Interleaver::add(Piece piece) {
    piece.sequence = next_sequence_++;
    if (piece.plan != no_plan)
        ++plans_[piece.plan].uses;
    heap_.push_back(piece);
    std::push_heap(heap_.begin(), heap_.end(), later);
}

Piece Interleaver::pop() {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    const Piece piece = heap_.back();
    heap_.pop_back();
    return piece;
}

} // namespace snapscope
