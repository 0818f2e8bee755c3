#include "teller.hpp"

#include <fmt/format.h>

namespace snapscope {
namespace {

constexpr std::size_t most_written = 16; // moments kept written; a reader that goes back asks for many

double seconds_between(std::int64_t from_ns, std::int64_t to_ns) {
    return static_cast<double>(to_ns - from_ns) / 1e9;
}

std::int64_t ms(std::int64_t ns) {
    return ns / 1'000'000;
}

std::string event(const char* name, const std::string& data) {
    return fmt::format("event: {}\ndata: {}\n\n", name, data);
}

std::string dump(const nlohmann::json& json) {
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

SharedText shared(std::string text) {
    return std::make_shared<const std::string>(std::move(text));
}

} // namespace

void Teller::refresh() {
    if (watcher_.version() == watched_.version)
        return;
    watched_ = watcher_.look();
    written_.clear();
}

std::uint64_t Teller::newest() const {
    return first_shown(watched_.windows) == watched_.windows.end() ? 0 : watched_.windows.back()->seq;
}

bool Teller::continues() const {
    const auto& windows = watched_.windows;
    return windows.size() >= 2 && windows.back()->session == windows[windows.size() - 2]->session &&
           first_shown(windows) != std::prev(windows.end());
}

nlohmann::json Teller::state(const LiveSession* session) const {
    nlohmann::json out = shared_;
    const auto first = first_shown(watched_.windows);
    out["name"] = watched_.name;
    out["trouble"] = watched_.trouble;
    out["first_seq"] = first == watched_.windows.end() ? 0 : (*first)->seq;
    out["last_seq"] = newest();
    out["marks"] = nlohmann::json::array();
    for (const Mark& mark : watched_.marks)
        out["marks"].push_back({{"seq", mark.seq},
                                {"t", session == nullptr ? 0 : seconds_between(session->start_ns, mark.at_ns)},
                                {"text", mark.text}});
    out["recording"] = nullptr;
    if (const auto& now = watched_.recording)
        out["recording"] = {{"name", now->name}, {"windows", now->windows}, {"trouble", now->trouble}};
    out["recorded"] = watched_.recorded;
    return out;
}

std::optional<Moment> Teller::moment(std::uint64_t seq, int span_s) const {
    return moment_at(watched_.windows, seq, std::int64_t{span_s} * 1'000'000'000);
}

Teller::Told Teller::told(std::uint64_t seq, int span_s, bool step) const {
    Told out;
    out.json = {{"seq", 0}, {"base", 0}, {"span", span_s}, {"at_ms", 0}, {"origin_ms", 0}, {"kept_from", 0}};
    auto moment = this->moment(seq, span_s);
    if (!moment) {
        out.json["state"] = state(nullptr);
        return out;
    }
    const auto window = std::find_if(watched_.windows.begin(), watched_.windows.end(),
                                     [&](const WindowPtr& w) { return w->seq == moment->seq; });
    const LiveSession& session = *(*window)->session;
    out.json["seq"] = moment->seq;
    out.json["base"] = step ? moment->seq - 1 : 0;
    out.json["at_ms"] = ms((*window)->row.end_ns + session.wall_offset_ns);
    out.json["origin_ms"] = ms(session.start_ns + session.wall_offset_ns);
    out.json["kept_from"] = seconds_between(session.start_ns, moment->series.windows.start_ns.front());
    out.json["state"] = state(&session);
    const std::size_t from = step ? moment->series.windows.start_ns.size() - 1 : 0;
    out.contents = LiveContents{watched_.name, std::move(moment->figures), std::move(moment->series), from};
    return out;
}

std::string Teller::update(std::uint64_t seq, int span_s, bool step) const {
    Told out = told(seq, span_s, step);
    if (out.contents)
        out.json.update(live_sections(*out.contents));
    else
        out.json.update(
            {{"html", "<p>Nothing has been seen yet.</p>"}, {"views", nlohmann::json::array()}, {"arrays", ""}});
    return dump(out.json);
}

SharedText Teller::state_event() {
    SharedText& text = written_["state"];
    if (!text)
        text = shared(
            event("state", dump(state(watched_.windows.empty() ? nullptr : watched_.windows.back()->session.get()))));
    return text;
}

SharedText Teller::whole_event(int span_s) {
    SharedText& text = written_[fmt::format("whole {}", span_s)];
    if (!text)
        text = shared(event("window", update(0, span_s, false)));
    return text;
}

SharedText Teller::step_event(int span_s) {
    SharedText& text = written_[fmt::format("step {}", span_s)];
    if (!text)
        text = shared(event("window", update(0, span_s, true)));
    return text;
}

SharedText Teller::view(std::uint64_t seq, int span_s) {
    if (seq != 0 && !moment(seq, span_s))
        return nullptr;
    if (written_.size() > most_written)
        written_.clear();
    SharedText& text = written_[fmt::format("{} {}", seq, span_s)];
    if (!text)
        text = shared(update(seq, span_s, false));
    return text;
}

std::string Teller::page(const std::string& tool) {
    Told now = told(0, spans_s.front(), false);
    return live_page(now.contents, now.json, tool);
}

SharedText WindowStream::next() {
    teller_.refresh();
    const std::uint64_t newest = teller_.newest();
    if (!greeted_ || newest > seq_) {
        if (greeted_ && newest > seq_ + 1 && seq_ != 0) {
            const std::uint64_t missed = newest - seq_ - 1;
            missed_ += missed;
            seq_ = 0; // what comes next is whole
            return shared(event("gap", dump({{"missed", missed}})));
        }
        const bool step = greeted_ && seq_ != 0 && teller_.continues();
        greeted_ = true;
        seq_ = newest;
        version_ = teller_.watched().version;
        return step ? teller_.step_event(span_s_) : teller_.whole_event(span_s_);
    }
    if (teller_.watched().version == version_)
        return nullptr;
    version_ = teller_.watched().version;
    return teller_.state_event();
}

} // namespace snapscope
