#include "ctf_stream.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace snapscope::ctf {
namespace {

using Decoder = void (*)(const unsigned char*, Event&);

template <std::size_t... Ids> constexpr auto make_decoders(std::index_sequence<Ids...>) {
    return std::array<Decoder, sizeof...(Ids)>{decode_class<Ids>...};
}
constexpr auto decoders = make_decoders(std::make_index_sequence<class_bytes.size()>{});

} // namespace

StreamReader::StreamReader(std::filesystem::path path, EventSource source, std::uint32_t slot, const Uuid& uuid,
                           std::size_t buffer_bytes)
    : path_(std::move(path)), source_(source), slot_(slot), uuid_(uuid),
      buffer_bytes_(std::max(buffer_bytes, max_packet_bytes)) {
    event_.slot = slot;
}

tl::unexpected<Error> StreamReader::damaged(std::size_t at, std::string_view what) const {
    return fail(fmt::format("{} is damaged at byte {}: {}", path_.string(), buffer_offset_ + at, what));
}

// Makes at least `bytes` from packet_ on lie in the buffer, or all that the
// file has.  The file is opened anew each time: thousands of streams must not
// hold a descriptor each.
Status StreamReader::fill(std::size_t bytes) {
    if (buffer_.size() - packet_ >= bytes)
        return {};
    const UniqueFd fd(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!fd)
        return fail_errno(fmt::format("cannot open {}", path_.string()), errno);
    if (file_bytes_ == unknown_size) {
        struct stat status {};
        if (::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode))
            return fail(fmt::format("cannot read {}: not a regular file", path_.string()));
        file_bytes_ = static_cast<std::uint64_t>(status.st_size);
    }
    buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(packet_));
    buffer_offset_ += packet_;
    packet_ = 0;
    std::size_t used = buffer_.size();
    const std::uint64_t rest = file_bytes_ - buffer_offset_;
    buffer_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(buffer_bytes_, rest)));
    while (used < buffer_.size()) {
        const auto offset = static_cast<off_t>(buffer_offset_ + used);
        const ssize_t got = ::pread(fd.get(), buffer_.data() + used, buffer_.size() - used, offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fail_errno(fmt::format("cannot read {}", path_.string()), errno);
        if (got == 0) { // it has become shorter
            buffer_.resize(used);
            file_bytes_ = buffer_offset_ + used;
        }
        used += static_cast<std::size_t>(got);
    }
    return {};
}

bool StreamReader::end_truncated() {
    truncated_ = true;
    ended_ = true;
    return false;
}

Status StreamReader::check_head(const PacketHead& head) const {
    if (head.magic != packet_magic)
        return damaged(packet_, "no packet begins here");
    if (head.uuid != uuid_)
        return damaged(packet_, "a packet of another trace");
    if (head.stream_id != static_cast<std::uint32_t>(source_) || head.slot != slot_)
        return damaged(packet_, fmt::format("a packet of stream {}, slot {}", head.stream_id, head.slot));
    if (head.content_bits % 8 != 0 || head.packet_bits % 8 != 0 || head.content_bits < head_bytes * 8 ||
        head.content_bits > head.packet_bits || head.packet_bits > max_packet_bytes * 8)
        return damaged(packet_,
                       fmt::format("a packet of {} bits with {} bits of content", head.packet_bits, head.content_bits));
    if (head.timestamp_begin > head.timestamp_end || head.timestamp_end > std::numeric_limits<std::int64_t>::max() ||
        head.timestamp_begin < static_cast<std::uint64_t>(packet_end_ns_))
        return damaged(packet_, "the packet's times go backwards");
    if (head.events_discarded < lost_)
        return damaged(packet_, "the count of lost events goes backwards");
    return {};
}

// Opens the packet at packet_; false at the end of the file.
Result<bool> StreamReader::open_packet() {
    SNAPSCOPE_TRY(fill(head_bytes));
    const std::size_t left = buffer_.size() - packet_;
    if (left == 0 && buffer_offset_ + packet_ != 0) {
        ended_ = true;
        return false;
    }
    if (left < head_bytes)
        return end_truncated();
    PacketHead head;
    std::memcpy(&head, buffer_.data() + packet_, head_bytes);
    // After a power cut a file may be long enough and hold zeros.
    if (head.magic == 0 && head.uuid == Uuid{})
        return end_truncated();
    SNAPSCOPE_TRY(check_head(head));
    const auto packet_bytes = static_cast<std::size_t>(head.packet_bits / 8);
    SNAPSCOPE_TRY(fill(packet_bytes));
    if (buffer_.size() - packet_ < packet_bytes)
        return end_truncated();
    at_ = packet_ + head_bytes;
    content_end_ = packet_ + static_cast<std::size_t>(head.content_bits / 8);
    packet_ += packet_bytes;
    packet_end_ns_ = static_cast<std::int64_t>(head.timestamp_end);
    event_.time_ns = static_cast<std::int64_t>(head.timestamp_begin); // no event may be before it
    event_.pid = head.pid;
    lost_ = head.events_discarded;
    return true;
}

StreamReader::Step StreamReader::fail_step(std::size_t at, std::string_view what) {
    failed_ = damaged(at, what).value();
    return Step::failed;
}

// Once for every event of a trace: no Result, whose Error has to be destroyed.
StreamReader::Step StreamReader::next_event() {
    const unsigned id = buffer_[at_];
    if (id >= class_bytes.size())
        return fail_step(at_, fmt::format("an event of unknown class {}", id));
    if (content_end_ - at_ < class_bytes[id])
        return fail_step(at_, "an event that its packet does not hold whole");
    const std::int64_t before_ns = event_.time_ns;
    decoders[id](buffer_.data() + at_, event_);
    if (event_.time_ns < before_ns || event_.time_ns > packet_end_ns_)
        return fail_step(at_, "an event outside the order of time");
    at_ += class_bytes[id];
    return Step::event;
}

StreamReader::Step StreamReader::skip_packet() {
    if (failed_)
        return Step::failed;
    at_ = content_end_;
    if (ended_)
        return Step::end;
    const auto opened = open_packet();
    if (!opened) {
        failed_ = opened.error();
        return Step::failed;
    }
    return *opened ? Step::event : Step::end;
}

StreamReader::Step StreamReader::advance_packet() {
    Step step = failed_ ? Step::failed : Step::event;
    while (step == Step::event && at_ == content_end_)
        step = skip_packet();
    return step == Step::event ? next_event() : step;
}

} // namespace snapscope::ctf
