// The server's segment mapped read-only through procfs map_files (--map), with
// a guard against the one way in which an observer can harm the server
// (map_risk.hpp): it is let go when the risk changes, and at the first end of a
// process of the server that has not left the proc array first.
// From then on reads go by system calls, as without it.
#pragma once

#include "crash_guard.hpp"
#include "map_risk.hpp"

#include <snapscope/base/mapping.hpp>

#include <memory>
#include <mutex>

namespace snapscope::mirror {

class SharedMapping final : public Memory {
  public:
    // Class unavailable, with the reason, where it must not or cannot be; maps nothing.
    static Status probe(const ServerImage& image, const Anatomy& anatomy);
    // Fails as probe() does.
    static Result<std::unique_ptr<SharedMapping>> open(const ServerImage& image, const Anatomy& anatomy);
    SharedMapping(const SharedMapping&) = delete;
    SharedMapping& operator=(const SharedMapping&) = delete;
    SharedMapping(SharedMapping&&) = delete;
    SharedMapping& operator=(SharedMapping&&) = delete;
    ~SharedMapping() override;

    [[nodiscard]] Status read(std::span<const Piece> pieces) const override;
    [[nodiscard]] bool held() const;
    [[nodiscard]] std::string why_let_go() const;
    // Lets go where holding it has become a risk.
    void check_risk();

  private:
    SharedMapping(const ServerImage& image, const Anatomy& anatomy, Mapping mapping)
        : image_(image), anatomy_(anatomy), mapping_(std::move(mapping)) {}
    void let_go(const std::string& why);

    const ServerImage& image_;
    const Anatomy anatomy_;
    mutable std::mutex mutex_;
    Mapping mapping_;
    std::string why_;
    std::unique_ptr<CrashGuard> guard_;
};

} // namespace snapscope::mirror
