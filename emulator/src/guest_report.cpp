#include "guest_report.hpp"

#include <snapscope/base/text.hpp>

#include <fmt/format.h>

namespace snapscope::emulator {
namespace {

std::optional<std::uint64_t> number(const std::vector<std::string>& words, std::size_t at) {
    return at < words.size() ? parse_integer<std::uint64_t>(words[at]) : std::nullopt;
}

} // namespace

void GuestReport::enter(std::string state, const Progress& progress) {
    state_ = std::move(state);
    progress(state_);
}

Status GuestReport::take_line(std::string_view line, const Progress& progress) {
    const std::vector<std::string> words = split(line, ' ');
    const std::string& what = words.front();
    const auto first = number(words, 1);
    const auto second = number(words, 2);
    if (what == "failed")
        return fail(fmt::format("the guest failed: {}", line.substr(what.size() + 1)));
    if (what == "booted") {
        enter("starting the server in the guest", progress);
    } else if (what == "cpu" && words.size() == 4 && first == sockets_.size()) {
        sockets_.push_back(static_cast<std::uint32_t>(number(words, 3).value_or(0)));
    } else if (what == "ready") {
        enter("opening idle connections and finding the structures", progress);
    } else if (what == "range" && words.size() == 4 && second && number(words, 3)) {
        server_.ranges.push_back({words[1], *second, *number(words, 3)});
    } else if (what == "text" && words.size() == 4 && first && second) {
        server_.texts.push_back({*first, *second, words[3]});
    } else if (what == "phase" && first) {
        phase_ = *first;
        loads_.resize(phase_ + 1);
        enter(fmt::format("recording load {}", phase_), progress);
    } else if (what == "load") {
        loads_.resize(phase_ + 1);
        loads_.back() += std::string(line.substr(what.size() + 1)) + "\n";
    } else if (what == "done") {
        done_ = true;
    }
    return {};
}

Status GuestReport::take(std::string_view text, const Progress& progress) {
    for (std::size_t end = text.find('\n', taken_); end != std::string_view::npos; end = text.find('\n', taken_)) {
        std::string_view line = text.substr(taken_, end - taken_);
        taken_ = end + 1;
        line = trim(line);
        if (!line.empty())
            SNAPSCOPE_TRY(take_line(line, progress));
    }
    return {};
}

} // namespace snapscope::emulator
