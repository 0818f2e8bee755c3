// The bytes of the event trace: what the metadata describes, the writer writes
// and the reader reads.  Little-endian, every field on a byte boundary.
//
//   packet  header  magic u32, uuid 16 bytes, stream id u32
//           context timestamp_begin, timestamp_end, content_size (bits),
//                   packet_size (bits), events_discarded u64; slot, pid u32
//           events  id u8, timestamp u64, cpu u16, then the fields of its class
//
// An event class stores the words of struct snapscope_record that its type
// uses, in the order of the record.  Class 0 stores them all, and the type: for
// types that this version does not know and for records that use a word that
// their type does not, so that no record is ever changed by being stored.
#pragma once

#include <snapscope/probes/abi.h>
#include <snapscope/recording/event.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace snapscope::ctf {

static_assert(std::endian::native == std::endian::little, "words are copied as they lie in memory");

// Grows when the bytes change; the metadata states it.
inline constexpr unsigned layout_version = 1;

inline constexpr std::uint32_t packet_magic = 0xC1FC1FC1;

using Uuid = std::array<unsigned char, 16>;

struct PacketHead {
    std::uint32_t magic = packet_magic;
    Uuid uuid{};
    std::uint32_t stream_id = 0; // EventSource
    std::uint64_t timestamp_begin = 0;
    std::uint64_t timestamp_end = 0;
    std::uint64_t content_bits = 0;
    std::uint64_t packet_bits = 0;
    std::uint64_t events_discarded = 0; // cumulative
    std::uint32_t slot = 0;
    std::uint32_t pid = 0;
};
inline constexpr std::size_t head_bytes = 72;
static_assert(sizeof(PacketHead) == head_bytes && offsetof(PacketHead, timestamp_begin) == 24,
              "no padding: the struct is the bytes");

// The writer never makes a packet longer; the reader refuses one that is.
inline constexpr std::size_t max_packet_bytes = std::size_t{16} * 1024;

// Which words an event class stores, as bits of a mask.
enum Word : unsigned {
    word_type = 1U << 0U,
    word_outcome = 1U << 1U,
    word_lines = 1U << 2U,
    word_flags = 1U << 3U,
    word_a = 1U << 4U,
    word_b = 1U << 5U,
    word_c = 1U << 6U,
    word_d = 1U << 7U,
};
inline constexpr unsigned all_words = 0xff;

// By class id, which is the event type (0: any record).
inline constexpr std::array<unsigned, SNAPSCOPE_EV_COUNT> class_words = [] {
    std::array<unsigned, SNAPSCOPE_EV_COUNT> words{};
    words[SNAPSCOPE_EV_NONE] = all_words;
    words[SNAPSCOPE_EV_SNAPSHOT_START] = 0;
    words[SNAPSCOPE_EV_SNAPSHOT_DONE] = word_outcome | word_lines | word_flags | word_a | word_b | word_c | word_d;
    words[SNAPSCOPE_EV_REBUILD] = word_lines | word_a | word_b | word_c | word_d;
    words[SNAPSCOPE_EV_WAIT] = word_a | word_b;
    words[SNAPSCOPE_EV_COPY] = word_lines | word_a | word_b | word_c | word_d;
    words[SNAPSCOPE_EV_INVALIDATE] = word_outcome | word_a;
    words[SNAPSCOPE_EV_XID_ASSIGNED] = word_a | word_b;
    words[SNAPSCOPE_EV_XACT_END] = word_a;
    words[SNAPSCOPE_EV_XMIN_SET] = word_a;
    words[SNAPSCOPE_EV_XMIN_CLEARED] = word_a | word_b;
    words[SNAPSCOPE_EV_SLOT_TAKEN] = word_a | word_b;
    words[SNAPSCOPE_EV_SLOT_RELEASED] = word_a;
    words[SNAPSCOPE_EV_RING_ON] = word_a | word_b;
    words[SNAPSCOPE_EV_HORIZON_REFRESH] = word_lines | word_a;
    return words;
}();

// Calls visit(word, member) for each word of a record, in the order of the bytes.
template <class E, class F> constexpr void for_each_word(E& event, F visit) {
    visit(word_type, event.type);
    visit(word_outcome, event.outcome);
    visit(word_lines, event.lines);
    visit(word_flags, event.flags);
    visit(word_a, event.a);
    visit(word_b, event.b);
    visit(word_c, event.c);
    visit(word_d, event.d);
}

inline constexpr std::size_t event_head_bytes = 1 + 8 + 2; // id, timestamp, cpu

// Bytes of an event by class id.
inline constexpr std::array<std::size_t, SNAPSCOPE_EV_COUNT> class_bytes = [] {
    std::array<std::size_t, SNAPSCOPE_EV_COUNT> bytes{};
    for (std::size_t id = 0; id < bytes.size(); ++id) {
        bytes[id] = event_head_bytes;
        Event event;
        for_each_word(event, [&](unsigned word, auto& member) {
            if ((class_words[id] & word) != 0)
                bytes[id] += sizeof(member);
        });
    }
    return bytes;
}();
inline constexpr std::size_t max_event_bytes = class_bytes[SNAPSCOPE_EV_NONE];

// The class that stores all of `event`.
inline unsigned class_of(const Event& event) {
    if (event.type == SNAPSCOPE_EV_NONE || event.type >= SNAPSCOPE_EV_COUNT)
        return 0;
    const unsigned words = class_words[event.type];
    bool fits = true;
    for_each_word(event, [&](unsigned word, auto member) {
        fits = fits && ((words & word) != 0 || word == word_type || member == 0);
    });
    return fits ? event.type : 0;
}

// Appends `event` at `out`, which has room for max_event_bytes; returns its end.
inline unsigned char* encode(const Event& event, unsigned char* out) {
    const auto put = [&out](auto value) {
        std::memcpy(out, &value, sizeof(value));
        out += sizeof(value);
    };
    const unsigned id = class_of(event);
    put(static_cast<std::uint8_t>(id));
    put(static_cast<std::uint64_t>(event.time_ns));
    put(event.cpu);
    for_each_word(event, [&](unsigned word, auto member) {
        if ((class_words[id] & word) != 0)
            put(member);
    });
    return out;
}

// Reads one event of class `Id` whose class_bytes[Id] bytes lie at `in`; slot
// and pid are the packet's.
template <unsigned Id> inline void decode_class(const unsigned char* in, Event& event) {
    const auto take = [&in](auto& value) {
        std::memcpy(&value, in, sizeof(value));
        in += sizeof(value);
    };
    ++in; // id
    std::uint64_t time = 0;
    take(time);
    event.time_ns = static_cast<std::int64_t>(time);
    take(event.cpu);
    for_each_word(event, [&](unsigned word, auto& member) {
        if ((class_words[Id] & word) != 0)
            take(member);
        else
            member = 0;
    });
    if constexpr (Id != 0)
        event.type = static_cast<std::uint8_t>(Id);
}

} // namespace snapscope::ctf
