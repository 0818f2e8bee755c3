#include "word_sums.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace snapscope {

// Rows are CPUs, columns words: reads, writes, and how long each was watched there.
void put_word_matrices(const WordSums& sums, Run& run) {
    std::vector<std::string> cpus;
    const auto online = online_cpus();
    for (const auto cpu : online)
        cpus.push_back(fmt::format("cpu {}", cpu));
    std::vector<std::string> words;
    for (const auto& [word, by_cpu] : sums)
        words.push_back(to_string(word));
    const auto put = [&](const char* name, const char* unit, std::uint64_t CpuAccesses::*field) {
        Matrix matrix{name, "watch", unit, "core", cpus, words, {}};
        for (const auto cpu : online)
            for (const auto& [word, by_cpu] : sums) {
                const auto row = by_cpu.find(cpu);
                matrix.counts.push_back(row == by_cpu.end() ? 0 : static_cast<double>(row->second.*field));
            }
        run.matrices.push_back(std::move(matrix));
    };
    put("word_reads", "1", &CpuAccesses::reads);
    put("word_writes", "1", &CpuAccesses::writes);
    put("word_watched_ns", "ns", &CpuAccesses::watched_ns);
}

void put_word_totals(const WordSums& sums, Run& run) {
    for (const auto kind : {WordKind::lock, WordKind::xid, WordKind::xmin}) {
        CpuAccesses sum;
        std::uint64_t longest = 0; // of one word, over its CPUs: all are watched at once
        for (const auto& [word, by_cpu] : sums) {
            if (word.kind != kind)
                continue;
            std::uint64_t on_a_cpu = 0;
            for (const auto& [cpu, row] : by_cpu) {
                sum.reads += row.reads;
                sum.writes += row.writes;
                on_a_cpu = std::max(on_a_cpu, row.watched_ns);
            }
            longest += on_a_cpu;
        }
        const bool any = longest > 0;
        const auto put = [&](const char* what, const char* unit, std::uint64_t value) {
            run.totals.push_back({fmt::format("{}_word_{}", name_of(kind), what), "watch", unit,
                                  any ? std::optional(static_cast<std::int64_t>(value)) : std::nullopt});
        };
        put("reads", "1", sum.reads);
        put("writes", "1", sum.writes);
        put("watched_ns", "ns", longest);
    }
}

} // namespace snapscope
