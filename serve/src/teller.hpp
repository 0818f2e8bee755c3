// What one server's readers are told, window by window: written once for all of
// them.  On the HTTP thread.
#pragma once

#include "http.hpp"
#include "live_run.hpp"
#include "watcher.hpp"

#include <snapscope/dashboards/live.hpp>

#include <array>
#include <map>
#include <nlohmann/json.hpp>

namespace snapscope {

// Seconds that figures may be of; 0: all that is kept.
inline constexpr std::array<int, 3> spans_s{10, 60, 0};

class Teller {
  public:
    // `watcher` outlives it; `shared` is what states hold beside this server's.
    Teller(const Watcher& watcher, nlohmann::json shared) : watcher_(watcher), shared_(std::move(shared)) {}

    // Takes what is new from the watcher.
    void refresh();
    [[nodiscard]] const Watched& watched() const { return watched_; }
    // Of the newest window that can be shown; 0: there is none yet.
    [[nodiscard]] std::uint64_t newest() const;
    // Whether the newest window continues the one before it.
    [[nodiscard]] bool continues() const;

    [[nodiscard]] nlohmann::json state(const LiveSession* session) const;
    // Events of the stream.
    [[nodiscard]] SharedText state_event();
    [[nodiscard]] SharedText whole_event(int span_s);
    [[nodiscard]] SharedText step_event(int span_s);

    // A moment that is kept (0: the newest) as JSON; null: it is not kept.
    [[nodiscard]] SharedText view(std::uint64_t seq, int span_s);
    [[nodiscard]] std::optional<Moment> moment(std::uint64_t seq, int span_s) const;
    // The first contents of the page.
    [[nodiscard]] std::string page(const std::string& tool);

  private:
    struct Told {
        nlohmann::json json; // without html, views and arrays
        std::optional<LiveContents> contents;
    };
    [[nodiscard]] Told told(std::uint64_t seq, int span_s, bool step) const;
    [[nodiscard]] std::string update(std::uint64_t seq, int span_s, bool step) const;

    const Watcher& watcher_;
    nlohmann::json shared_;
    Watched watched_;
    std::map<std::string, SharedText> written_; // of this version
};

// Server-sent events of one reader.
class WindowStream : public HttpStream {
  public:
    WindowStream(Teller& teller, int span_s, std::uint64_t& missed)
        : teller_(teller), span_s_(span_s), missed_(missed) {}
    SharedText next() override;

  private:
    Teller& teller_;
    int span_s_;
    std::uint64_t& missed_; // of all readers together
    std::uint64_t seq_ = 0, version_ = 0;
    bool greeted_ = false;
};

} // namespace snapscope
