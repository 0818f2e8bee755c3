// The A/A floor: how far two groups of runs of one configuration lie apart.
#pragma once

#include <snapscope/analyzer/diff.hpp>

#include <span>
#include <string>

namespace snapscope {

// `again` are further runs of the base's configuration, compared as the two
// sides are: the floor is the far end of that interval.
[[nodiscard]] AaFloor floor_of_runs(std::span<const double> base, std::span<const double> again, bool paired);

// Without such runs, from base's own repeats, in their order: every second one
// against the others (paired: each round against the next).  It tells whether
// the machine drifts, but from half as many runs it is too wide to judge by:
// `given` is false.
[[nodiscard]] std::optional<AaFloor> floor_of_repeats(std::span<const double> base, bool paired);

} // namespace snapscope
