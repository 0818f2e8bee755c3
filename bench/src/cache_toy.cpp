// What cachegrind runs in `./dev bench analyzer`: cache_toy N loads a word N
// times, one line after the other out of as many as a snapshot reads.
#include <cstdint>
#include <cstdlib>
#include <vector>

int main(int argc, char** argv) {
    constexpr std::size_t lines = 64;
    constexpr std::size_t words_a_line = 64 / sizeof(std::uint64_t);
    const auto loads = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 0ULL;
    std::vector<std::uint64_t> memory(lines * words_a_line);
    const volatile std::uint64_t* const words = memory.data();
    std::uint64_t sum = 0;
    for (unsigned long long i = 0; i < loads; ++i)
        sum += words[i % lines * words_a_line];
    return sum == 0 ? 0 : 1;
}
