#include "shared_mapping.hpp"

#include <snapscope/base/unique_fd.hpp>

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <system_error>

namespace snapscope::mirror {
namespace {

// Whole aligned words, so that none is seen half written.
void copy_words(const std::byte* from, std::span<std::byte> to) {
    std::size_t at = 0;
    const auto take = [&]<typename T>(T) {
        for (; at + sizeof(T) <= to.size() && reinterpret_cast<std::uintptr_t>(from + at) % sizeof(T) == 0;
             at += sizeof(T)) {
            const T word = __atomic_load_n(reinterpret_cast<const T*>(from + at), __ATOMIC_ACQUIRE);
            std::ranges::copy(std::as_bytes(std::span(&word, 1)), to.begin() + static_cast<std::ptrdiff_t>(at));
        }
    };
    while (at < to.size() && reinterpret_cast<std::uintptr_t>(from + at) % 8 != 0) {
        if (reinterpret_cast<std::uintptr_t>(from + at) % 4 == 0 && to.size() - at >= 4) {
            const auto word = __atomic_load_n(reinterpret_cast<const std::uint32_t*>(from + at), __ATOMIC_ACQUIRE);
            std::ranges::copy(std::as_bytes(std::span(&word, 1)), to.begin() + static_cast<std::ptrdiff_t>(at));
            at += 4;
        } else {
            to[at] = from[at];
            ++at;
        }
    }
    take(std::uint64_t{});
    take(std::uint32_t{});
    take(std::uint8_t{});
}

// The segment through map_files, where it may be held.
Result<UniqueFd> open_segment(const ServerImage& image, const Mapped& segment) {
    const auto refuse = [](const std::string& why, const std::string& hint) {
        return fail(Error{ErrorClass::unavailable, "the segment is not mapped: " + why, hint});
    };
    if (const auto risk = map_risk(map_facts(image.proc(), image.pid(), segment)))
        return refuse(*risk, "it is read by calls instead");
    const auto name = fmt::format("map_files/{:x}-{:x}", segment.start, segment.end);
    UniqueFd fd(::open(image.proc().path(image.pid(), name).c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd)
        return refuse("it cannot be opened (" + std::generic_category().message(errno) + ")",
                      "that needs CAP_CHECKPOINT_RESTORE, and as another user CAP_SYS_PTRACE and "
                      "CAP_DAC_READ_SEARCH; it is read by calls instead");
    return fd;
}

} // namespace

Status SharedMapping::probe(const ServerImage& image, const Anatomy& anatomy) {
    const auto fd = open_segment(image, anatomy.segment);
    return fd ? Status() : fail(fd.error());
}

Result<std::unique_ptr<SharedMapping>> SharedMapping::open(const ServerImage& image, const Anatomy& anatomy) {
    auto fd = open_segment(image, anatomy.segment);
    if (!fd)
        return fail(fd.error());
    auto mapping = Mapping::shared(fd->get(), 0, anatomy.segment.bytes(), false, "the server's segment");
    if (!mapping)
        return fail(Error{ErrorClass::unavailable, mapping.error().what, "it is read by calls instead"});
    fd->reset(); // a descriptor would hold the segment as well
    std::unique_ptr<SharedMapping> shared(new SharedMapping(image, anatomy, std::move(*mapping)));
    shared->guard_ = std::make_unique<CrashGuard>(
        image, anatomy, *shared, [mapped = shared.get()](const std::string& why) { mapped->let_go(why); });
    return shared;
}

SharedMapping::~SharedMapping() {
    guard_.reset(); // its thread calls let_go()
}

Status SharedMapping::read(std::span<const Piece> pieces) const {
    const std::scoped_lock lock(mutex_);
    if (!mapping_)
        return image_.memory().read(pieces);
    for (const auto& piece : pieces) {
        if (!anatomy_.segment.holds(piece.from, piece.to.size()))
            return fail(fmt::format("{:#x} is not in the server's segment", piece.from));
        copy_words(mapping_.data() + (piece.from - anatomy_.segment.start), piece.to);
    }
    return {};
}

bool SharedMapping::held() const {
    const std::scoped_lock lock(mutex_);
    return static_cast<bool>(mapping_);
}

std::string SharedMapping::why_let_go() const {
    const std::scoped_lock lock(mutex_);
    return why_;
}

void SharedMapping::let_go(const std::string& why) {
    const std::scoped_lock lock(mutex_);
    if (!mapping_)
        return;
    mapping_.reset();
    why_ = why;
}

void SharedMapping::check_risk() {
    if (const auto risk = map_risk(map_facts(image_.proc(), image_.pid(), anatomy_.segment)))
        let_go("the segment was let go: " + *risk);
}

} // namespace snapscope::mirror
