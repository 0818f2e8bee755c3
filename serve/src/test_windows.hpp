// Windows of a session that two series were seen in, for tests.
#pragma once

#include "live_ring.hpp"

namespace snapscope::test {

[[nodiscard]] inline std::shared_ptr<const LiveSession> session_from(std::int64_t start_ns) {
    auto session = std::make_shared<LiveSession>();
    session->start_ns = start_ns;
    session->wall_offset_ns = 1'700'000'000'000'000'000;
    session->info.server.version = "13.16";
    session->info.series = {{"snapshots_taken", "ring", "1", {}}, {"slots_taken", "mirror", "1", {}}};
    return session;
}

// A second long; the slot 4 has taken ten snapshots a window since the session began.
[[nodiscard]] inline WindowPtr window(std::uint64_t seq, const std::shared_ptr<const LiveSession>& session,
                                      std::int64_t start_s) {
    constexpr std::int64_t second = 1'000'000'000;
    auto out = std::make_shared<LiveWindow>();
    out->seq = seq;
    out->session = session;
    out->row = {start_s * second, (start_s + 1) * second, {10.0, 3.0}};
    const auto windows = static_cast<std::uint64_t>(start_s + 1 - session->start_ns / second);
    Slot slot;
    slot.slot = 4;
    slot.taken = 10 * windows;
    out->look.slots = {slot};
    out->look.histograms = {{"snapshot_duration", "ring", "ns", "", {0, 64, 128}, {windows, 0}, 1.0, 60.0}};
    SourceStatus ring;
    ring.name = "ring";
    ring.state = SourceState::active;
    ring.start_ns = session->start_ns;
    ring.end_ns = out->row.end_ns;
    ring.records = 100 * windows;
    ring.lost = windows;
    ring.losses = {{"ring_full", windows}};
    SourceStatus mirror = ring;
    mirror.name = "mirror";
    mirror.kind = EvidenceKind::sampled;
    mirror.losses.clear();
    mirror.lost = 0;
    out->sources = {ring, mirror};
    return out;
}

} // namespace snapscope::test
