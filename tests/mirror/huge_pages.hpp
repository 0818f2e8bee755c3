// Huge pages for a while; what the machine does not grant is not there.
#pragma once

#include <snapscope/base/text.hpp>
#include <snapscope/collector/procfs.hpp>

#include <cstdint>
#include <fstream>
#include <string>

namespace snapscope::test {

class HugePages {
  public:
    static constexpr std::uint64_t bytes = std::uint64_t{2} << 20U; // of one

    explicit HugePages(std::uint64_t wanted) : before_(all()) {
        if (free() < wanted)
            write(before_ + wanted);
    }
    HugePages(const HugePages&) = delete;
    HugePages& operator=(const HugePages&) = delete;
    HugePages(HugePages&&) = delete;
    HugePages& operator=(HugePages&&) = delete;
    ~HugePages() {
        if (all() != before_)
            write(before_);
    }
    // That nobody has or was promised.
    [[nodiscard]] static std::uint64_t free() {
        const auto promised = pool("resv");
        const auto untouched = pool("free");
        return untouched > promised ? untouched - promised : 0;
    }
    // Gives back all that nobody uses now; false where somebody else wants some, too.
    static bool leave_none_to_spare() {
        const auto pages = all();
        const auto spare = free();
        if (spare > pages)
            return false;
        write(pages - spare);
        return free() == 0;
    }

  private:
    static std::uint64_t pool(const std::string& which) {
        return number("/sys/kernel/mm/hugepages/hugepages-2048kB/" + which + "_hugepages");
    }
    static constexpr const char* file = "/proc/sys/vm/nr_hugepages";
    static std::uint64_t number(const std::string& path) {
        const auto text = read_text(path);
        return text ? parse_integer<std::uint64_t>(trim(*text)).value_or(0) : 0;
    }
    static std::uint64_t all() { return number(file); }
    static void write(std::uint64_t pages) { std::ofstream(file) << pages << std::flush; }
    std::uint64_t before_;
};

} // namespace snapscope::test
