#include <snapscope/analyzer/perfetto.hpp>

namespace snapscope {
namespace {

class TraceFolderStream final : public EventStream {
  public:
    explicit TraceFolderStream(EventTraceReader reader) : reader_(std::move(reader)) {}
    Result<std::optional<Item>> next() override { return reader_.next(); }
    [[nodiscard]] std::uint64_t lost(EventSource source) const override { return reader_.lost(source); }
    [[nodiscard]] bool truncated() const override { return reader_.truncated(); }

  private:
    EventTraceReader reader_;
};

} // namespace

Result<std::unique_ptr<EventStream>> open_event_stream(const std::filesystem::path& events_folder) {
    auto reader = EventTraceReader::open(events_folder);
    if (!reader)
        return fail(reader.error());
    return std::make_unique<TraceFolderStream>(std::move(*reader));
}

Result<EventSource> preferred_source(EventStream& events) {
    bool any = false;
    for (;;) {
        const auto item = events.next();
        if (!item)
            return fail(item.error());
        if (!*item)
            return any ? EventSource::ebpf : EventSource::ring;
        if ((*item)->source == EventSource::ring)
            return EventSource::ring;
        any = true;
    }
}

} // namespace snapscope
