// The order of the demo's blocks, and the words of one recording: data in,
// data out.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace snapscope::demo {

inline constexpr std::array<const char*, 2> modes = {"off", "copy"};

struct Block {
    std::size_t mode = 0;       // index into `modes`
    std::uint32_t round = 1;    // from 1
    std::uint32_t position = 1; // 1 or 2 within the round
    friend bool operator==(const Block&, const Block&) = default;
};

// Both modes once a round; which comes first alternates (off copy, copy off,
// ...), so that what drifts over time falls on both alike.
[[nodiscard]] std::vector<Block> balanced_order(std::uint32_t rounds);

// FOLDER/off-01.snap
[[nodiscard]] std::filesystem::path run_path(const std::filesystem::path& folder, const Block& block);

// FOLDER/probes-off.snap: the block with every source.
[[nodiscard]] std::filesystem::path probes_path(const std::filesystem::path& folder, std::size_t mode);

// Whether a name is one of those, of any round.
[[nodiscard]] bool is_run_name(std::string_view name);

// SERIES:ROUND:POSITION, what `record --pair` takes.
[[nodiscard]] std::string pair_word(const std::string& series, const Block& block);

} // namespace snapscope::demo
