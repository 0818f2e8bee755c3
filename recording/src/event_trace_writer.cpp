#include "ctf_metadata.hpp"

#include <snapscope/base/files.hpp>
#include <snapscope/base/unique_fd.hpp>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <fcntl.h>
#include <fmt/format.h>
#include <map>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace snapscope {
namespace {

namespace fs = std::filesystem;

// Descriptors held at a time, whatever the number of slots.
constexpr std::size_t max_open_streams = 128;
constexpr std::size_t max_single_syncs = 16;

struct Stream {
    EventSource source = EventSource::ring;
    std::uint32_t slot = 0;
    fs::path path;
    UniqueFd fd;
    bool created = false;
    bool torn = false; // ends in a part of a packet that could not be cut off
    std::int64_t bytes = 0;
    std::int64_t last_ns = 0;       // of the last event stored
    std::uint64_t written_lost = 0; // as the last packet says
    std::uint64_t lost = 0;         // by now, those of earlier counts included
    std::uint64_t lost_before = 0;  // of earlier counts
};

} // namespace

struct EventTraceWriter::State {
    fs::path folder;
    ctf::Uuid uuid{};
    std::map<std::pair<EventSource, std::uint32_t>, Stream> streams;
    std::deque<Stream*> open; // oldest first
    std::vector<unsigned char> buffer;
    std::int64_t last_ns = 0; // of all streams
    bool finished = false;

    Stream& stream(EventSource source, std::uint32_t slot) {
        Stream& found = streams[{source, slot}];
        if (found.path.empty()) {
            found.source = source;
            found.slot = slot;
            found.path = folder / ctf::stream_name(source, slot);
        }
        return found;
    }

    void close_oldest() {
        open.front()->fd.reset();
        open.pop_front();
    }

    void close_all() {
        while (!open.empty())
            close_oldest();
    }

    Status ensure_open(Stream& stream) {
        if (stream.fd)
            return {};
        while (open.size() >= max_open_streams)
            close_oldest();
        const int flags = O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | (stream.created ? 0 : O_CREAT | O_EXCL);
        for (;;) {
            stream.fd.reset(::open(stream.path.c_str(), flags, 0600));
            // The rest of the program may hold most of the descriptors.
            if (stream.fd || errno != EMFILE || open.empty())
                break;
            close_oldest();
        }
        if (!stream.fd)
            return fail_errno(fmt::format("cannot open {}", stream.path.string()), errno);
        open.push_back(&stream);
        if (!stream.created && ::fchmod(stream.fd.get(), 0600) != 0)
            return fail_errno(fmt::format("cannot set the mode of {}", stream.path.string()), errno);
        stream.created = true;
        return {};
    }

    // Puts the packet that begins at `start` of the buffer into its final form.
    void close_packet(const Stream& stream, std::size_t start, ctf::PacketHead head) {
        head.uuid = uuid;
        head.stream_id = static_cast<std::uint32_t>(stream.source);
        head.slot = stream.slot;
        head.content_bits = head.packet_bits = (buffer.size() - start) * 8;
        std::memcpy(buffer.data() + start, &head, sizeof(head));
    }

    // One packet with as many of `events` as it holds and one pid; returns the rest.
    std::span<const Event> encode_packet(const Stream& stream, std::span<const Event> events, std::uint64_t lost) {
        const std::size_t start = buffer.size();
        const std::size_t limit = (ctf::max_packet_bytes - ctf::head_bytes) / ctf::max_event_bytes;
        std::size_t count = 0;
        while (count < std::min(limit, events.size()) && events[count].pid == events[0].pid)
            ++count;
        buffer.resize(start + ctf::head_bytes + count * ctf::max_event_bytes);
        unsigned char* out = buffer.data() + start + ctf::head_bytes;
        for (const Event& event : events.first(count))
            out = ctf::encode(event, out);
        buffer.resize(static_cast<std::size_t>(out - buffer.data()));

        ctf::PacketHead head;
        head.timestamp_begin = static_cast<std::uint64_t>(events.front().time_ns);
        head.timestamp_end = static_cast<std::uint64_t>(events[count - 1].time_ns);
        head.pid = events.front().pid;
        // What a drain found lost was lost behind what the ring held.
        head.events_discarded = count == events.size() ? lost : stream.written_lost;
        close_packet(stream, start, head);
        return events.subspan(count);
    }

    // Besides a burst that was lost whole, this makes a stream begin with a count
    // of 0: readers count what was lost as differences between packets.
    void encode_empty_packet(const Stream& stream, std::int64_t time_ns, std::uint64_t lost) {
        const std::size_t start = buffer.size();
        buffer.resize(start + ctf::head_bytes);
        ctf::PacketHead head;
        head.timestamp_begin = head.timestamp_end = static_cast<std::uint64_t>(time_ns);
        head.events_discarded = lost;
        close_packet(stream, start, head);
    }

    // Writes the buffer; the disk holds all of it or, after an error, none.
    Status flush(Stream& stream) {
        SNAPSCOPE_TRY(ensure_open(stream));
        const std::string_view bytes(reinterpret_cast<const char*>(buffer.data()), buffer.size());
        if (auto written = write_all(stream.fd.get(), bytes, stream.path); !written) {
            stream.torn = ::ftruncate(stream.fd.get(), stream.bytes) != 0;
            return written;
        }
        stream.bytes += static_cast<std::int64_t>(buffer.size());
        return {};
    }

    // Writes a loss that no packet has told yet; removes a file that got nothing.
    Status complete(Stream& stream) {
        if (stream.lost != stream.written_lost && !stream.torn) {
            buffer.clear();
            const std::int64_t time_ns = stream.bytes != 0 ? stream.last_ns : last_ns;
            if (stream.bytes == 0)
                encode_empty_packet(stream, time_ns, 0);
            encode_empty_packet(stream, time_ns, stream.lost);
            SNAPSCOPE_TRY(flush(stream));
            stream.written_lost = stream.lost;
        }
        if (stream.created && stream.bytes == 0) { // all that it got was refused by the disk
            ::unlink(stream.path.c_str());
            stream.created = false;
        }
        return {};
    }

    // A journalling file system commits once for each file that is synced, some
    // milliseconds each; many files are cheaper synced with all the rest of it.
    Status sync_all() {
        if (streams.size() > max_single_syncs) {
            close_all();
            const UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
            if (!fd || ::syncfs(fd.get()) != 0)
                return fail_errno(fmt::format("cannot sync {}", folder.string()), errno);
            return {};
        }
        for (auto& [key, stream] : streams) {
            if (!stream.created)
                continue;
            SNAPSCOPE_TRY(ensure_open(stream));
            if (::fdatasync(stream.fd.get()) != 0)
                return fail_errno(fmt::format("cannot sync {}", stream.path.string()), errno);
        }
        return sync_folder(folder);
    }
};

EventTraceWriter::EventTraceWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
EventTraceWriter::EventTraceWriter(EventTraceWriter&&) noexcept = default;
EventTraceWriter& EventTraceWriter::operator=(EventTraceWriter&&) noexcept = default;
EventTraceWriter::~EventTraceWriter() = default;

Result<EventTraceWriter> EventTraceWriter::create(const fs::path& folder, const EventTraceInfo& info) {
    const auto uuid = ctf::parse_uuid(info.run_id);
    if (!uuid)
        return fail(uuid.error());
    SNAPSCOPE_TRY(create_private_folder(folder));
    SNAPSCOPE_TRY(write_file_atomically(folder / ctf::metadata_name, ctf::write_metadata(info)));
    auto state = std::make_unique<State>();
    state->folder = folder;
    state->uuid = *uuid;
    return EventTraceWriter(std::move(state));
}

EventTraceWriter EventTraceWriter::discarding() {
    return EventTraceWriter(nullptr);
}

Status EventTraceWriter::append(EventSource source, std::uint32_t slot, std::span<const Event> events,
                                std::uint64_t counted_lost) {
    if (!state_)
        return {};
    Stream& stream = state_->stream(source, slot);
    const std::uint64_t lost = stream.lost_before + counted_lost;
    const auto refuse = [&](std::string_view why) {
        return fail(fmt::format("cannot append to {}: {}", stream.path.string(), why));
    };
    if (state_->finished)
        return refuse("the trace is finished");
    if (stream.torn)
        return refuse("its last packet is cut off");
    if (lost < stream.lost)
        return refuse("the count of lost events goes backwards");
    std::int64_t last_ns = stream.last_ns;
    for (const Event& event : events) {
        if (event.time_ns < last_ns)
            return refuse(fmt::format("time goes backwards, from {} to {} ns", last_ns, event.time_ns));
        if (event.slot != slot)
            return refuse(fmt::format("an event of slot {}", event.slot));
        last_ns = event.time_ns;
    }
    stream.lost = lost;

    state_->buffer.clear();
    if (!events.empty()) {
        if (stream.bytes == 0 && lost != 0)
            state_->encode_empty_packet(stream, events.front().time_ns, 0);
        for (std::span<const Event> rest = events; !rest.empty();)
            rest = state_->encode_packet(stream, rest, lost);
    } else if (stream.bytes != 0 && lost != stream.written_lost) {
        state_->encode_empty_packet(stream, last_ns, lost);
    } else {
        return {}; // a slot without a time: its loss goes with its next packet
    }
    SNAPSCOPE_TRY(state_->flush(stream));
    stream.written_lost = lost;
    stream.last_ns = last_ns;
    state_->last_ns = std::max(state_->last_ns, last_ns);
    return {};
}

void EventTraceWriter::count_anew() {
    if (!state_)
        return;
    for (auto& [key, stream] : state_->streams)
        stream.lost_before = stream.lost;
}

Status EventTraceWriter::finish() {
    if (!state_)
        return {};
    for (auto& [key, stream] : state_->streams)
        SNAPSCOPE_TRY(state_->complete(stream));
    SNAPSCOPE_TRY(state_->sync_all());
    state_->finished = true;
    state_->close_all();
    return {};
}

} // namespace snapscope
