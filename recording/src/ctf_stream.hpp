// Reads one stream file of an event trace, event by event, with a buffer of
// bounded size.  Nothing in the file is trusted: every size is checked before
// it is used, and what contradicts the layout is an error with its offset.
#pragma once

#include "ctf_layout.hpp"

#include <snapscope/base/result.hpp>
#include <snapscope/base/unique_fd.hpp>

#include <filesystem>
#include <limits>
#include <optional>
#include <vector>

namespace snapscope::ctf {

class StreamReader {
  public:
    // `buffer_bytes` is what is read ahead; at least one packet.
    StreamReader(std::filesystem::path path, EventSource source, std::uint32_t slot, const Uuid& uuid,
                 std::size_t buffer_bytes);

    // Moves to the next event; end and failed stay.  The file is as long as it
    // was at the first call: what is appended meanwhile is not read.
    enum class Step { event, end, failed };
    Step advance() { return at_ != content_end_ && !failed_ ? next_event() : advance_packet(); }

    // Moves past the rest of the packet and opens the next one, whose events
    // are not looked at; as advance() otherwise.
    Step skip_packet();

    // Why advance() failed.
    [[nodiscard]] const Error& error() const { return *failed_; }

    [[nodiscard]] const Event& event() const { return event_; }
    [[nodiscard]] EventSource source() const { return source_; }
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] std::uint32_t slot() const { return slot_; }
    [[nodiscard]] std::uint64_t lost() const { return lost_; }
    [[nodiscard]] bool truncated() const { return truncated_; }

  private:
    Result<bool> open_packet();
    Status check_head(const PacketHead& head) const;
    Status fill(std::size_t bytes);
    bool end_truncated();
    [[nodiscard]] tl::unexpected<Error> damaged(std::size_t at, std::string_view what) const;
    Step next_event();
    Step advance_packet();
    Step fail_step(std::size_t at, std::string_view what);

    std::filesystem::path path_;
    EventSource source_;
    std::uint32_t slot_;
    Uuid uuid_;
    std::size_t buffer_bytes_;

    static constexpr std::uint64_t unknown_size = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t file_bytes_ = unknown_size;
    std::uint64_t buffer_offset_ = 0; // of buffer_[0] in the file
    std::vector<unsigned char> buffer_;
    std::size_t packet_ = 0; // in buffer_: where the next packet begins
    std::size_t at_ = 0;     // the next event of the open packet
    std::size_t content_end_ = 0;
    std::int64_t packet_end_ns_ = 0;

    Event event_;
    std::uint64_t lost_ = 0;
    bool truncated_ = false;
    bool ended_ = false;
    std::optional<Error> failed_;
};

} // namespace snapscope::ctf
