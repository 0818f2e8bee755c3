#include <snapscope/base/files.hpp>
#include <snapscope/recording/access_trace.hpp>

#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

namespace snapscope {
namespace {

using Json = nlohmann::json;

// The file: these bytes, the length of the head in decimal and a line end, the
// head in JSON, then for each entry a byte (kind in the upper two bits, CPU below)
// and its target, function and count, each in groups of seven bits, lowest first.
constexpr std::string_view magic = "snapscope accesses 1\n";
constexpr unsigned cpu_bits = 6;
constexpr unsigned group_bits = 7;
constexpr unsigned more = 1U << group_bits;
constexpr std::size_t max_file_bytes = std::size_t{1} << 30U;
constexpr std::size_t entry_bytes = 4; // at least

void put_number(std::string& out, std::uint64_t value) {
    for (; value >= more; value >>= group_bits)
        out += static_cast<char>(more | (value & (more - 1)));
    out += static_cast<char>(value);
}

// What is left of the bytes, taken from the front; nullopt past their end.
class Bytes {
  public:
    explicit Bytes(std::string_view rest) : rest_(rest) {}
    [[nodiscard]] bool empty() const { return rest_.empty(); }

    std::optional<unsigned> byte() {
        if (rest_.empty())
            return std::nullopt;
        const auto out = static_cast<unsigned char>(rest_.front());
        rest_.remove_prefix(1);
        return out;
    }
    // Below LIMIT.
    std::optional<std::uint32_t> number(std::uint64_t limit) {
        std::uint64_t out = 0;
        for (unsigned shift = 0; shift < 5 * group_bits; shift += group_bits) {
            const auto next = byte();
            if (!next)
                return std::nullopt;
            out |= static_cast<std::uint64_t>(*next & (more - 1)) << shift;
            if ((*next & more) == 0)
                return out < limit ? std::optional(static_cast<std::uint32_t>(out)) : std::nullopt;
        }
        return std::nullopt;
    }

  private:
    std::string_view rest_;
};

Json head_of(const AccessTrace& trace) {
    Json ranges = Json::array();
    for (const TracedRange& range : trace.ranges)
        ranges.push_back({{"name", range.name}, {"address", range.address}, {"bytes", range.bytes}});
    return {{"topology", trace.topology},
            {"barrier_instructions", trace.barrier_instructions},
            {"ranges", std::move(ranges)},
            {"lines", trace.lines},
            {"functions", trace.functions},
            {"marks", trace.marks},
            {"window", {trace.window_begin, trace.window_end}}};
}

AccessTrace take_head(const Json& head) {
    AccessTrace trace;
    head.at("topology").get_to(trace.topology);
    head.at("barrier_instructions").get_to(trace.barrier_instructions);
    for (const Json& range : head.at("ranges"))
        trace.ranges.push_back({range.at("name"), range.at("address"), range.at("bytes")});
    head.at("lines").get_to(trace.lines);
    head.at("functions").get_to(trace.functions);
    head.at("marks").get_to(trace.marks);
    trace.window_begin = head.at("window").at(0);
    trace.window_end = head.at("window").at(1);
    return trace;
}

std::optional<TracedAccess> take_entry(Bytes& bytes, const AccessTrace& trace) {
    const auto tag = bytes.byte();
    if (!tag)
        return std::nullopt;
    TracedAccess entry;
    entry.kind = static_cast<TracedKind>(*tag >> cpu_bits);
    entry.cpu = static_cast<std::uint8_t>(*tag & ((1U << cpu_bits) - 1));
    const bool mark = entry.kind == TracedKind::mark;
    const auto target = bytes.number(mark ? trace.marks.size() : trace.lines.size());
    const auto function = bytes.number(trace.functions.size());
    const auto count = bytes.number(std::uint64_t{1} << 32U);
    if (!target || !function || !count || *count == 0)
        return std::nullopt;
    entry.target = *target;
    entry.function = static_cast<std::uint16_t>(*function);
    entry.count = *count;
    return entry;
}

tl::unexpected<Error> damaged(const std::string& what) {
    return fail("a trace of accesses is damaged: " + what);
}

} // namespace

std::string encode_access_trace(const AccessTrace& trace) {
    const std::string head = head_of(trace).dump();
    std::string out = fmt::format("{}{}\n{}", magic, head.size(), head);
    for (const TracedAccess& entry : trace.accesses) {
        out += static_cast<char>(static_cast<unsigned>(entry.kind) << cpu_bits | entry.cpu);
        put_number(out, entry.target);
        put_number(out, entry.function);
        put_number(out, entry.count);
    }
    return out;
}

Result<AccessTrace> decode_access_trace(std::string_view bytes) {
    if (!bytes.starts_with(magic))
        return damaged("it does not begin as one");
    bytes.remove_prefix(magic.size());
    const std::size_t line_end = bytes.find('\n');
    std::size_t head_bytes = 0;
    if (line_end == std::string_view::npos || line_end > 9)
        return damaged("its head has no length");
    for (const char digit : bytes.substr(0, line_end)) {
        if (digit < '0' || digit > '9')
            return damaged("its head has no length");
        head_bytes = head_bytes * 10 + static_cast<std::size_t>(digit - '0');
    }
    bytes.remove_prefix(line_end + 1);
    if (head_bytes > bytes.size())
        return damaged("its head is cut off");
    AccessTrace trace;
    try {
        trace = take_head(Json::parse(bytes.substr(0, head_bytes)));
    } catch (const Json::exception& error) {
        return damaged(error.what());
    }
    if (trace.functions.size() > std::numeric_limits<std::uint16_t>::max())
        return damaged("too many functions");
    Bytes rest(bytes.substr(head_bytes));
    trace.accesses.reserve((bytes.size() - head_bytes) / entry_bytes);
    while (!rest.empty()) {
        const auto entry = take_entry(rest, trace);
        if (!entry)
            return damaged(fmt::format("entry {}", trace.accesses.size()));
        trace.accesses.push_back(*entry);
    }
    if (trace.window_begin > trace.window_end || trace.window_end > trace.accesses.size())
        return damaged("its window lies outside of it");
    return trace;
}

Status write_access_trace(const AccessTrace& trace, const std::filesystem::path& file) {
    return write_file_atomically(file, encode_access_trace(trace));
}

Result<AccessTrace> read_access_trace(const std::filesystem::path& file) {
    const auto bytes = read_file(file, max_file_bytes);
    if (!bytes)
        return fail(bytes.error());
    auto trace = decode_access_trace(*bytes);
    if (!trace)
        return fail(fmt::format("{}: {}", file.string(), trace.error().what));
    return trace;
}

} // namespace snapscope
