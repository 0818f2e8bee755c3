// Which request gets which answer.  On the HTTP thread.
#pragma once

#include "guard.hpp"
#include "http.hpp"
#include "teller.hpp"
#include "watcher.hpp"

#include <memory>
#include <string>
#include <vector>

namespace snapscope {

class Site {
  public:
    // The watchers outlive it.
    Site(const std::vector<std::unique_ptr<Watcher>>& watchers, Guard guard, bool can_record, std::string tool_version);
    [[nodiscard]] HttpResponse answer(const HttpRequest& request);

  private:
    [[nodiscard]] HttpResponse routed(const HttpRequest& request);
    [[nodiscard]] HttpResponse read(const HttpRequest& request, Teller& teller);
    [[nodiscard]] HttpResponse act(const HttpRequest& request, Watcher& watcher);
    [[nodiscard]] HttpResponse metrics() const;
    [[nodiscard]] HttpResponse servers();
    [[nodiscard]] HttpResponse events(const HttpRequest& request, Teller& teller);

    const std::vector<std::unique_ptr<Watcher>>& watchers_;
    std::vector<std::unique_ptr<Teller>> tellers_; // one a watcher
    Guard guard_;
    std::string tool_;
    std::uint64_t missed_ = 0;
    std::shared_ptr<std::uint64_t> clients_ = std::make_shared<std::uint64_t>(0);
};

} // namespace snapscope
