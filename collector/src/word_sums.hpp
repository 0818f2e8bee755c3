// What the source `watch` has counted, in the words of a run.
#pragma once

#include "watched_words.hpp"
#include "word_watch.hpp"

#include <snapscope/recording/run.hpp>

#include <map>

namespace snapscope {

using WordSums = std::map<WatchedWord, std::map<std::uint32_t, CpuAccesses>>; // by word and CPU

void put_word_matrices(const WordSums& sums, Run& run);
void put_word_totals(const WordSums& sums, Run& run);

} // namespace snapscope
