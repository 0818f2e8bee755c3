#include "site.hpp"

#include <snapscope/analyzer/summary.hpp>
#include <snapscope/base/text.hpp>
#include <snapscope/dashboards/exposition.hpp>
#include <snapscope/recording/run_folder.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <sys/resource.h>
#include <unistd.h>

namespace snapscope {
namespace {

constexpr const char* json_type = "application/json";
constexpr std::size_t most_mark_bytes = 240;

HttpResponse json_response(SharedText text) {
    HttpResponse out;
    out.type = json_type;
    out.body = std::move(text);
    return out;
}

HttpResponse json_response(const nlohmann::json& json) {
    return json_response(std::make_shared<const std::string>(
        json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n"));
}

HttpResponse refusal(const Error& error) {
    return text_response(409, error.message() + "\n");
}

// What a browser may do with any answer.
void harden(HttpResponse& response) {
    for (const auto& [name, value] :
         std::initializer_list<std::pair<const char*, std::string>>{{"Content-Security-Policy", live_policy()},
                                                                    {"X-Content-Type-Options", "nosniff"},
                                                                    {"X-Frame-Options", "DENY"},
                                                                    {"Referrer-Policy", "no-referrer"},
                                                                    {"Cross-Origin-Resource-Policy", "same-origin"},
                                                                    {"Cross-Origin-Opener-Policy", "same-origin"},
                                                                    {"Cache-Control", "no-store"}})
        response.headers.emplace_back(name, value);
}

std::optional<int> span_of(const HttpRequest& request) {
    const std::string text = request.parameter("span");
    if (text.empty())
        return spans_s.front();
    const auto span = parse_integer<int>(text);
    return span && std::ranges::find(spans_s, *span) != spans_s.end() ? span : std::nullopt;
}

// Empty: the newest.
std::optional<std::uint64_t> seq_of(const HttpRequest& request, const char* name) {
    const std::string text = request.parameter(name);
    return text.empty() ? std::optional<std::uint64_t>(0) : parse_integer<std::uint64_t>(text);
}

// A stream that is counted for as long as it lasts.
class Counted : public HttpStream {
  public:
    Counted(std::unique_ptr<HttpStream> stream, std::shared_ptr<std::uint64_t> count)
        : stream_(std::move(stream)), count_(std::move(count)) {
        ++*count_;
    }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;
    Counted(Counted&&) = delete;
    Counted& operator=(Counted&&) = delete;
    ~Counted() override { --*count_; }
    SharedText next() override { return stream_->next(); }

  private:
    std::unique_ptr<HttpStream> stream_;
    std::shared_ptr<std::uint64_t> count_;
};

ExposedSelf usage() {
    ExposedSelf out;
    std::uint64_t pages = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> pages >> resident;
    out.resident_bytes = resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    out.cpu_seconds = seconds(used.ru_utime) + seconds(used.ru_stime);
    return out;
}

} // namespace

Site::Site(const std::vector<std::unique_ptr<Watcher>>& watchers, Guard guard, bool can_record,
           std::string tool_version)
    : watchers_(watchers), guard_(std::move(guard)), tool_("snapscope " + std::move(tool_version)) {
    nlohmann::json names = nlohmann::json::array();
    for (const auto& watcher : watchers)
        names.push_back(watcher->look().name);
    for (std::size_t i = 0; i < watchers.size(); ++i)
        tellers_.push_back(std::make_unique<Teller>(
            *watchers[i], nlohmann::json{{"targets", names}, {"target", i}, {"can_record", can_record}}));
}

HttpResponse Site::answer(const HttpRequest& request) {
    HttpResponse out;
    if (auto login = guard_.logs_in(request))
        out = std::move(*login);
    else if (auto refused = guard_.refuses(request))
        out = std::move(*refused);
    else
        out = routed(request);
    harden(out);
    return out;
}

HttpResponse Site::routed(const HttpRequest& request) {
    const std::string number = request.parameter("target");
    const auto target = number.empty() ? std::optional<std::size_t>(0) : parse_integer<std::size_t>(number);
    if (!target || *target >= watchers_.size())
        return text_response(404, "there is no such server\n");
    if (request.method == "POST")
        return act(request, *watchers_[*target]);
    if (request.path == "/metrics")
        return metrics();
    if (request.path == "/api/servers")
        return servers();
    Teller& teller = *tellers_[*target];
    teller.refresh();
    return read(request, teller);
}

HttpResponse Site::read(const HttpRequest& request, Teller& teller) {
    const auto span = span_of(request);
    const auto seq = seq_of(request, "seq");
    if (!span || !seq)
        return text_response(400, "span is 10, 60 or 0 (all that is kept), seq a window's number\n");
    if (request.path == "/") {
        HttpResponse out = text_response(200, teller.page(tool_));
        out.type = "text/html; charset=utf-8";
        return out;
    }
    if (request.path == "/events")
        return events(request, teller);
    if (request.path == "/api/view") {
        if (const SharedText text = teller.view(*seq, *span))
            return json_response(text);
        return text_response(404, "that moment is no longer kept\n");
    }
    if (request.path == "/api/run") {
        if (const auto moment = teller.moment(*seq, *span))
            return json_response(to_json(summarize(moment->figures)));
        return text_response(404, "that moment is not kept\n");
    }
    return text_response(404, "there is no such page\n");
}

HttpResponse Site::act(const HttpRequest& request, Watcher& watcher) {
    Status done;
    if (request.path == "/api/mark") {
        const auto seq = seq_of(request, "seq");
        const std::string text = to_utf8(request.parameter("text"));
        if (!seq || text.size() > most_mark_bytes)
            return text_response(400, "seq is a window's number, and text has at most 240 bytes\n");
        done = watcher.mark(*seq, text);
    } else if (request.path == "/api/record" && request.parameter("do") == "start") {
        const auto from = seq_of(request, "from");
        if (!from)
            return text_response(400, "from is a window's number\n");
        done = watcher.start_recording(*from);
    } else if (request.path == "/api/record" && request.parameter("do") == "stop") {
        done = watcher.stop_recording();
    } else {
        return text_response(404, "there is nothing to do by that name\n");
    }
    return done ? text_response(202, "") : refusal(done.error());
}

HttpResponse Site::events(const HttpRequest& request, Teller& teller) {
    HttpResponse out;
    out.type = "text/event-stream";
    out.stream =
        std::make_unique<Counted>(std::make_unique<WindowStream>(teller, *span_of(request), missed_), clients_);
    return out;
}

HttpResponse Site::servers() {
    nlohmann::json list = nlohmann::json::array();
    for (std::size_t i = 0; i < tellers_.size(); ++i) {
        tellers_[i]->refresh();
        nlohmann::json row = tellers_[i]->state(nullptr);
        list.push_back({{"target", i},
                        {"name", row["name"]},
                        {"trouble", row["trouble"]},
                        {"first_seq", row["first_seq"]},
                        {"last_seq", row["last_seq"]},
                        {"recording", row["recording"]}});
    }
    return json_response({{"schema_version", 1}, {"servers", list}});
}

HttpResponse Site::metrics() const {
    std::vector<ExposedServer> exposed;
    for (const auto& watcher : watchers_) {
        Watched watched = watcher->look();
        exposed.push_back({watched.key, watched.totals});
    }
    ExposedSelf self = usage();
    self.clients = *clients_;
    self.missed_windows = missed_;
    HttpResponse out = text_response(200, prometheus_text(exposed, self));
    out.type = "text/plain; version=0.0.4; charset=utf-8";
    return out;
}

} // namespace snapscope
