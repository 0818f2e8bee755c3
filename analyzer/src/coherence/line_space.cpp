#include <snapscope/analyzer/line_space.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace snapscope {
namespace {

constexpr std::uint64_t most_lines = std::uint64_t{1} << 22U;

std::uint64_t last_line(const Region& region) {
    return (region.address + region.bytes - 1) / line_bytes;
}

Status check(const std::vector<Region>& regions) {
    std::uint64_t sum = 0;
    for (const Region& region : regions) {
        if (region.bytes == 0)
            return fail(region.name + " has no bytes");
        if (region.address > std::numeric_limits<std::uint64_t>::max() - region.bytes)
            return fail(fmt::format("{} at {:#x} leaves the address space", region.name, region.address));
        const std::uint64_t lines = last_line(region) - region.address / line_bytes + 1;
        if (lines > most_lines || (sum += lines) > most_lines)
            return fail(fmt::format("{} has too many lines for the model", region.name));
    }
    std::vector<const Region*> sorted;
    for (const Region& region : regions)
        sorted.push_back(&region);
    std::ranges::sort(sorted, {}, [](const Region* region) { return region->address; });
    for (std::size_t i = 1; i < sorted.size(); ++i)
        if (sorted[i - 1]->address + sorted[i - 1]->bytes > sorted[i]->address)
            return fail(fmt::format("{} and {} overlap", sorted[i - 1]->name, sorted[i]->name));
    return {};
}

} // namespace

Result<LineSpace> LineSpace::create(std::vector<Region> regions) {
    SNAPSCOPE_TRY(check(regions));
    LineSpace out;
    for (const Region& region : regions)
        for (std::uint64_t line = region.address / line_bytes; line <= last_line(region); ++line)
            out.addresses_.push_back(line);
    std::ranges::sort(out.addresses_);
    out.addresses_.erase(std::unique(out.addresses_.begin(), out.addresses_.end()), out.addresses_.end());

    constexpr std::uint64_t lines_a_page = prefetch_page_bytes / line_bytes;
    for (std::size_t i = 0; i < out.addresses_.size(); ++i) {
        if (i == 0 || out.addresses_[i] / lines_a_page != out.addresses_[i - 1] / lines_a_page)
            ++out.pages_;
        out.page_of_.push_back(out.pages_ - 1);
    }
    out.region_of_.assign(out.addresses_.size(), std::numeric_limits<std::uint32_t>::max());
    for (std::size_t r = 0; r < regions.size(); ++r) {
        const auto at = std::ranges::lower_bound(out.addresses_, regions[r].address / line_bytes);
        const auto first = static_cast<LineId>(at - out.addresses_.begin());
        out.first_line_.push_back(first);
        const std::uint64_t lines = last_line(regions[r]) - regions[r].address / line_bytes + 1;
        for (std::uint64_t i = 0; i < lines; ++i) {
            std::uint32_t& owner = out.region_of_[first + i];
            owner = std::min(owner, static_cast<std::uint32_t>(r));
        }
    }
    out.regions_ = std::move(regions);
    return out;
}

std::optional<LineId> LineSpace::next_in_page(LineId line) const {
    const std::size_t next = std::size_t{line} + 1;
    if (next >= addresses_.size() || addresses_[next] != addresses_[line] + 1 || page_of_[next] != page_of_[line])
        return std::nullopt;
    return static_cast<LineId>(next);
}

} // namespace snapscope
