#include "perf_fields.hpp"

#include <snapscope/readers/perf_stream.hpp>

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <linux/perf_event.h>

namespace snapscope {
namespace {

// Of perf itself, behind the kernel's types (its pipe format).
constexpr std::uint32_t header_attr = 64, tracing_data = 66, finished_round = 68, auxtrace = 71, compressed = 81;
constexpr std::uint32_t first_of_perf = 64, types_known = 128; // newer ones are passed over

constexpr std::uint64_t magic = 0x32454c4946524550; // "PERFILE2"
constexpr std::uint64_t magic_swapped = 0x50455246494c4532;
constexpr std::size_t pipe_header_bytes = 16, record_header_bytes = 8;
constexpr std::size_t least_attr_bytes = PERF_ATTR_SIZE_VER0;
constexpr std::size_t most_events = 4096;
constexpr std::size_t most_ids = std::size_t{1} << 20;

// Bits of the attributes behind their first five words.
constexpr std::uint64_t flag_frequency = 1ULL << 10U, flag_use_clockid = 1ULL << 25U;
constexpr std::size_t clockid_offset = 92;

Error refuse(const std::string& what) {
    return {ErrorClass::failed, "perf's stream is malformed: " + what, "use Debian's perf, and its output as it comes"};
}

} // namespace

bool PerfEvent::of_memory() const {
    constexpr std::uint64_t wanted = PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC;
    return (sample_type & wanted) == wanted;
}

Status PerfStream::feed(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        if (trace_left_ > 0) {
            bytes = bytes.subspan(take_trace(bytes));
            continue;
        }
        // What is left of the last call is completed first, then records are read where they lie.
        if (!rest_.empty()) {
            const std::size_t before = rest_.size();
            std::size_t needed = has_header_ ? record_header_bytes : pipe_header_bytes;
            if (has_header_ && before >= record_header_bytes)
                needed = std::max<std::size_t>(read_at<std::uint16_t>(rest_, 6), record_header_bytes);
            const std::size_t more = std::min(needed - std::min(needed, before), bytes.size());
            rest_.insert(rest_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(more));
            bytes = bytes.subspan(more);
            auto used = take(rest_);
            if (!used)
                return fail(used.error());
            if (*used > 0)
                rest_.clear();
            else if (more == 0)
                return fail(refuse("a record without an end"));
            continue;
        }
        auto used = take(bytes);
        if (!used)
            return fail(used.error());
        if (*used == 0) {
            rest_.assign(bytes.begin(), bytes.end());
            return {};
        }
        bytes = bytes.subspan(*used);
    }
    return {};
}

Status PerfStream::end() const {
    if (!has_header_)
        return fail(refuse("it ended before it began"));
    if (!rest_.empty() || trace_left_ > 0)
        return fail(refuse(fmt::format("it ended inside a record, at byte {}", offset_)));
    return {};
}

Result<std::size_t> PerfStream::take_header(std::span<const std::byte> bytes) {
    if (bytes.size() < pipe_header_bytes)
        return 0;
    const auto word = read_at<std::uint64_t>(bytes, 0);
    if (word == magic_swapped)
        return fail(refuse("its byte order is another machine's"));
    if (word != magic)
        return fail(refuse("it does not begin with PERFILE2"));
    if (read_at<std::uint64_t>(bytes, 8) != pipe_header_bytes)
        return fail(refuse("it is a perf.data file, not what perf record -o - writes to a pipe"));
    has_header_ = true;
    return pipe_header_bytes;
}

Result<std::size_t> PerfStream::take(std::span<const std::byte> bytes) {
    if (!has_header_) {
        auto used = take_header(bytes);
        offset_ += used.value_or(0);
        return used;
    }
    if (bytes.size() < record_header_bytes)
        return 0;
    const std::size_t size = read_at<std::uint16_t>(bytes, 6);
    if (size < record_header_bytes)
        return fail(refuse(fmt::format("a record of {} bytes at byte {}", size, offset_)));
    if (bytes.size() < size)
        return 0;
    const auto type = read_at<std::uint32_t>(bytes, 0);
    if (auto read = record(type, bytes.subspan(record_header_bytes, size - record_header_bytes)); !read) {
        Error error = read.error();
        error.what += fmt::format(" (record {} of type {}, at byte {})", records_, type, offset_);
        return fail(std::move(error));
    }
    ++records_;
    offset_ += size;
    return size;
}

Status PerfStream::record(std::uint32_t type, std::span<const std::byte> body) {
    FieldReader fields(body);
    switch (type) {
    case PERF_RECORD_SAMPLE:
        return add_sample(body);
    case PERF_RECORD_FORK:
    case PERF_RECORD_EXIT: {
        const auto pid = fields.u32();
        const auto parent = fields.u32();
        const auto thread = fields.u32();
        (void)fields.u32();
        const auto time = fields.u64();
        if (!fields.fits())
            return fail(refuse("a process record is too short"));
        if (type == PERF_RECORD_FORK && pid != parent)
            visitor_->forked(pid, parent);
        if (type == PERF_RECORD_EXIT && pid == thread)
            visitor_->ended(pid, time);
        return {};
    }
    case PERF_RECORD_LOST:
        (void)fields.u64(); // the event's id
        visitor_->lost(fields.u64());
        return fields.fits() ? Status{} : fail(refuse("a record of losses is too short"));
    case PERF_RECORD_LOST_SAMPLES:
        visitor_->lost(fields.u64());
        return fields.fits() ? Status{} : fail(refuse("a record of losses is too short"));
    case PERF_RECORD_THROTTLE:
        visitor_->throttled();
        return {};
    case header_attr:
        return add_event(body);
    case finished_round:
        visitor_->round();
        return {};
    case auxtrace:
        return add_trace(body);
    case compressed:
        return fail(refuse("it is compressed"));
    case tracing_data:
        return fail(refuse("it holds tracepoints"));
    default:
        if (type == 0 || type >= types_known || (type >= PERF_RECORD_MAX && type < first_of_perf))
            return fail(refuse("an unknown record"));
        return {}; // mappings, names, build ids and the like
    }
}

Status PerfStream::add_event(std::span<const std::byte> body) {
    if (body.size() < least_attr_bytes)
        return fail(refuse("the attributes of an event are too short"));
    const std::size_t bytes = read_at<std::uint32_t>(body, 4);
    if (bytes < least_attr_bytes || bytes > body.size() || (body.size() - bytes) % sizeof(std::uint64_t) != 0)
        return fail(refuse("the attributes of an event do not fit their record"));
    if (events_.size() >= most_events)
        return fail(refuse("too many events"));
    PerfEvent event;
    event.period_or_frequency = read_at<std::uint64_t>(body, 16);
    event.sample_type = read_at<std::uint64_t>(body, 24);
    event.read_format = read_at<std::uint64_t>(body, 32);
    const auto flags = read_at<std::uint64_t>(body, 40);
    event.frequency = (flags & flag_frequency) != 0;
    event.monotonic = (flags & flag_use_clockid) != 0 && bytes >= clockid_offset + 4 &&
                      read_at<std::int32_t>(body, clockid_offset) == 1; // CLOCK_MONOTONIC
    const auto index = static_cast<std::uint32_t>(events_.size());
    for (std::size_t at = bytes; at < body.size(); at += sizeof(std::uint64_t))
        event_of_id_[read_at<std::uint64_t>(body, at)] = index;
    if (event_of_id_.size() > most_ids)
        return fail(refuse("too many events"));
    all_identified_ = all_identified_ && (event.sample_type & PERF_SAMPLE_IDENTIFIER) != 0;
    events_.push_back(event);
    return {};
}

// nullopt: of an event that the stream has not told.
std::optional<std::uint32_t> PerfStream::event_of(std::span<const std::byte> body) const {
    if (!all_identified_)
        return events_.size() == 1 ? std::optional<std::uint32_t>(0) : std::nullopt;
    if (events_.empty() || body.size() < sizeof(std::uint64_t))
        return std::nullopt;
    const auto* event = event_of_id_.find(read_at<std::uint64_t>(body, 0));
    return event == nullptr ? std::nullopt : std::optional(*event);
}

Status PerfStream::add_sample(std::span<const std::byte> body) {
    const auto event = event_of(body);
    if (!event)
        return fail(refuse("a sample of an unknown event"));
    PerfSample sample;
    sample.event = *event;
    const PerfEvent& kind = events_[*event];
    FieldReader fields(body);
    if (!read_sample_fields(fields, kind, sample))
        return fail(refuse("a sample holds fields that were not asked for"));
    if (!fields.ends_here())
        return fail(refuse("a sample is not as long as its fields"));
    if (sample.period == 0 && !kind.frequency)
        sample.period = kind.period_or_frequency;
    visitor_->sample(sample);
    return {};
}

Status PerfStream::add_trace(std::span<const std::byte> body) {
    FieldReader fields(body);
    const auto size = fields.u64();
    (void)fields.u64(); // offset
    (void)fields.u64(); // reference
    (void)fields.u32(); // buffer
    (void)fields.u32(); // thread
    trace_cpu_ = fields.u32();
    if (!fields.fits())
        return fail(refuse("a record of a trace is too short"));
    trace_left_ = size;
    return {};
}

std::size_t PerfStream::take_trace(std::span<const std::byte> bytes) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), trace_left_));
    visitor_->trace(trace_cpu_, bytes.first(count));
    trace_left_ -= count;
    offset_ += count;
    return count;
}

} // namespace snapscope
