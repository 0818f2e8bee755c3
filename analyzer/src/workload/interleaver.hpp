// Puts the pieces of what all backends do into one order of time.
//
// A snapshot lasts from its lock to its end, so its accesses are cut into
// pieces that are spread over that time; pieces of several CPUs alternate as
// their times say.  This is a convention: nobody recorded when within a
// snapshot each line was read.
#pragma once

#include <snapscope/analyzer/coherence.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <utility>
#include <vector>

namespace snapscope {

// Lines that a scan reads, in its order; kept while a piece refers to it.
using PlanId = std::uint32_t;
inline constexpr PlanId no_plan = std::numeric_limits<PlanId>::max();

// [from, to) of a plan, or of the lines themselves.
struct Piece {
    std::int64_t time_ns = 0;
    std::uint64_t sequence = 0;
    std::uint32_t from = 0, to = 0;
    PlanId plan = no_plan;
    std::uint16_t cpu = 0;
    AccessKind kind = AccessKind::read;
    std::uint8_t purpose = 0;
};

class Interleaver {
  public:
    // A plan is given back once it is dropped and no piece refers to it.
    PlanId keep_plan(std::vector<LineId> lines) {
        PlanId id = no_plan;
        if (free_.empty()) {
            id = static_cast<PlanId>(plans_.size());
            plans_.emplace_back();
        } else {
            id = free_.back();
            free_.pop_back();
        }
        plans_[id] = {std::move(lines), 1};
        return id;
    }
    void drop_plan(PlanId id) {
        if (id != no_plan && --plans_[id].uses == 0)
            free_.push_back(id);
    }
    [[nodiscard]] const std::vector<LineId>& plan(PlanId id) const { return plans_[id].lines; }

    // Pieces of one time keep the order in which they were added.
    void add(Piece piece);

    // Gives out every access of the pieces before TIME_NS.
    template <typename Sink> void release(std::int64_t time_ns, Sink&& sink) {
        while (!heap_.empty() && heap_.front().time_ns < time_ns)
            give(pop(), sink);
    }
    // The earliest piece, whatever is still to come; for a bound on memory.
    template <typename Sink> void release_one(Sink&& sink) { give(pop(), sink); }
    [[nodiscard]] std::size_t waiting() const { return heap_.size(); }

  private:
    struct Plan {
        std::vector<LineId> lines;
        std::size_t uses = 0;
    };
    Piece pop();
    template <typename Sink> void give(const Piece& piece, Sink& sink) {
        Access access{0, piece.cpu, piece.kind, piece.purpose};
        if (piece.plan == no_plan) {
            for (access.line = piece.from; access.line < piece.to; ++access.line)
                sink(access);
            return;
        }
        const LineId* const lines = plans_[piece.plan].lines.data();
        for (std::uint32_t i = piece.from; i < piece.to; ++i) {
            access.line = lines[i];
            sink(access);
        }
        drop_plan(piece.plan);
    }

    std::vector<Piece> heap_; // earliest first
    std::uint64_t next_sequence_ = 0;
    std::deque<Plan> plans_;
    std::vector<PlanId> free_;
};

} // namespace snapscope
