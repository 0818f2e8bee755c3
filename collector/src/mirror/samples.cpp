#include "samples.hpp"

#include <array>

namespace snapscope::mirror {

Counters counters_in(std::span<const std::byte> variables, const Layout& layout) {
    Counters out;
    out.next_xid = field_at<std::uint64_t>(variables, layout.next_xid);
    out.latest_completed_xid = layout.major == first_major
                                   ? field_at<std::uint32_t>(variables, layout.latest_completed_xid)
                                   : field_at<std::uint64_t>(variables, layout.latest_completed_xid);
    if (layout.completion_count)
        out.completion_count = field_at<std::uint64_t>(variables, *layout.completion_count);
    return out;
}

Result<Counters> read_counters(const Memory& memory, const Anatomy& anatomy) {
    std::array<std::byte, variables_span> bytes{};
    const Piece piece{anatomy.variable_cache, bytes};
    SNAPSCOPE_TRY(memory.read(std::span(&piece, 1)));
    return counters_in(bytes, anatomy.layout);
}

bool waits_for_proc_array_lock(std::uint32_t wait_event) {
    constexpr std::uint32_t lwlock_class = 0x01;
    return wait_event >> 24U == lwlock_class && (wait_event & 0xffffU) == proc_array_lock;
}

std::uint32_t age_of(std::uint32_t xid, std::uint64_t next_xid) {
    if (xid < first_normal_xid)
        return 0;
    const auto age = static_cast<std::uint32_t>(next_xid) - xid;
    return age < 0x80000000U ? age : 0;
}

} // namespace snapscope::mirror
