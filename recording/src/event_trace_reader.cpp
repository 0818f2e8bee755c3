#include "ctf_metadata.hpp"
#include "ctf_stream.hpp"

#include <snapscope/base/files.hpp>
#include <snapscope/base/text.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <functional>

namespace snapscope {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_metadata_bytes = std::size_t{1} << 20;
// Read ahead, all streams together; a stream never gets less than a packet.
constexpr std::size_t read_ahead_bytes = std::size_t{64} << 20;
constexpr std::size_t max_stream_buffer_bytes = std::size_t{1} << 20;

struct StreamName {
    fs::path path;
    EventSource source = EventSource::ring;
    std::uint32_t slot = 0;
};

// "ring-00042", and nothing that another spelling would also give.
std::optional<StreamName> parse_stream_name(const fs::path& path) {
    const std::string name = path.filename().string();
    for (const EventSource source : {EventSource::ring, EventSource::ebpf}) {
        const std::string prefix = std::string(ctf::source_name(source)) + "-";
        if (!name.starts_with(prefix))
            continue;
        const auto slot = parse_integer<std::uint32_t>(std::string_view(name).substr(prefix.size()));
        if (slot && ctf::stream_name(source, *slot) == name)
            return StreamName{path, source, *slot};
    }
    return std::nullopt;
}

// All streams of a trace in the order of ties.  Folders and hidden files are
// those of viewers, and skipped, as babeltrace2 does.
Result<std::vector<StreamName>> list_streams(const fs::path& folder) {
    std::vector<StreamName> out;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        if (name == ctf::metadata_name || name.starts_with('.') || entry->is_directory())
            continue;
        auto stream = parse_stream_name(entry->path());
        if (!stream)
            return fail(fmt::format("{} is no stream of an event trace", entry->path().string()), "move it away");
        out.push_back(std::move(*stream));
    }
    if (error)
        return fail(fmt::format("cannot list {}: {}", folder.string(), error.message()));
    std::ranges::sort(out, {}, [](const StreamName& name) { return std::pair(name.source, name.slot); });
    return out;
}

// A stream in the merge, with the key of its current event beside it.
struct Head {
    std::int64_t time_ns = 0;
    std::size_t stream = 0; // index, in the order of ties

    friend bool operator<(const Head& left, const Head& right) {
        return left.time_ns != right.time_ns ? left.time_ns < right.time_ns : left.stream < right.stream;
    }
    friend bool operator>(const Head& left, const Head& right) { return right < left; }
};

} // namespace

struct EventTraceReader::State {
    using Step = ctf::StreamReader::Step;

    EventTraceInfo info;
    std::vector<ctf::StreamReader> streams;
    std::vector<Head> heap; // a binary heap, earliest first
    bool started = false;
    std::optional<Error> failed;

    // Restores the heap after its first entry has become later.
    void sift_down() {
        const Head moved = heap.front();
        std::size_t hole = 0;
        for (;;) {
            std::size_t child = 2 * hole + 1;
            if (child >= heap.size())
                break;
            if (child + 1 < heap.size() && heap[child + 1] < heap[child])
                ++child;
            if (moved < heap[child])
                break;
            heap[hole] = heap[child];
            hole = child;
        }
        heap[hole] = moved;
    }

    void start() {
        started = true;
        for (std::size_t i = 0; i < streams.size() && !failed; ++i) {
            const auto step = streams[i].advance();
            if (step == Step::event)
                heap.push_back({streams[i].event().time_ns, i});
            else if (step == Step::failed)
                failed = streams[i].error();
        }
        std::make_heap(heap.begin(), heap.end(), std::greater<>{});
    }

    // Takes the earliest event and moves its stream on.
    void take(Item& item) {
        ctf::StreamReader& stream = streams[heap.front().stream];
        item.source = stream.source();
        item.event = stream.event();
        const auto step = stream.advance();
        if (step == Step::event) {
            heap.front().time_ns = stream.event().time_ns;
        } else if (step == Step::end) {
            heap.front() = heap.back();
            heap.pop_back();
        } else {
            failed = stream.error();
            return;
        }
        if (!heap.empty())
            sift_down();
    }

    // An error comes after the events before it have been given out.
    Result<std::size_t> read(std::span<Item> items) {
        if (!started)
            start();
        std::size_t count = 0;
        while (!failed && count < items.size() && !heap.empty())
            take(items[count++]);
        if (failed && count == 0)
            return fail(*failed);
        return count;
    }
};

EventTraceReader::EventTraceReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
EventTraceReader::EventTraceReader(EventTraceReader&&) noexcept = default;
EventTraceReader& EventTraceReader::operator=(EventTraceReader&&) noexcept = default;
EventTraceReader::~EventTraceReader() = default;

Result<EventTraceReader> EventTraceReader::open(const fs::path& folder) {
    const auto text = read_file(folder / ctf::metadata_name, max_metadata_bytes);
    if (!text)
        return fail(text.error().what, "give the folder events/ of a run");
    auto info = ctf::read_metadata(*text);
    if (!info)
        return fail(fmt::format("{}: {}", (folder / ctf::metadata_name).string(), info.error().what));
    const auto uuid = ctf::parse_uuid(info->run_id);
    if (!uuid)
        return fail(uuid.error());
    const auto names = list_streams(folder);
    if (!names)
        return fail(names.error());

    auto state = std::make_unique<State>();
    state->info = std::move(*info);
    const std::size_t share = read_ahead_bytes / std::max<std::size_t>(names->size(), 1);
    for (const StreamName& name : *names)
        state->streams.emplace_back(name.path, name.source, name.slot, *uuid, std::min(share, max_stream_buffer_bytes));
    return EventTraceReader(std::move(state));
}

Status check_event_trace(const fs::path& folder) {
    const auto reader = EventTraceReader::open(folder);
    if (!reader)
        return fail(reader.error());
    using Step = ctf::StreamReader::Step;
    for (ctf::StreamReader& stream : reader->state_->streams) {
        Step step = Step::event;
        while (step == Step::event)
            step = stream.skip_packet();
        if (step == Step::failed)
            return fail(stream.error());
        if (stream.truncated())
            return fail(stream.path().string() + " is cut off");
    }
    return {};
}

Result<std::uint64_t> count_events(const fs::path& folder, EventSource source) {
    constexpr std::size_t at_once = 4096;
    auto reader = EventTraceReader::open(folder);
    if (!reader)
        return fail(reader.error());
    std::vector<EventTraceReader::Item> items(at_once);
    std::uint64_t count = 0;
    for (;;) {
        const auto got = reader->read(items);
        if (!got)
            return fail(got.error());
        if (*got == 0)
            return count;
        for (const auto& item : std::span(items).first(*got))
            count += item.source == source ? 1 : 0;
    }
}

Result<std::size_t> EventTraceReader::read(std::span<Item> items) {
    return state_->read(items);
}

Result<std::optional<EventTraceReader::Item>> EventTraceReader::next() {
    Item item;
    const auto count = read(std::span(&item, 1));
    if (!count)
        return fail(count.error());
    return *count == 0 ? std::nullopt : std::optional(item);
}

std::uint64_t EventTraceReader::lost(EventSource source) const {
    std::uint64_t sum = 0;
    for (const ctf::StreamReader& stream : state_->streams)
        if (stream.source() == source)
            sum += stream.lost();
    return sum;
}

bool EventTraceReader::truncated() const {
    return std::ranges::any_of(state_->streams, &ctf::StreamReader::truncated);
}

const EventTraceInfo& EventTraceReader::info() const {
    return state_->info;
}

} // namespace snapscope
