#include "tool_child.hpp"

#include <snapscope/base/text.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <poll.h>
#include <sys/auxv.h>
#include <unistd.h>

namespace snapscope {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::size_t chunk_bytes = std::size_t{1} << 18;
constexpr std::size_t most_words = 300;
constexpr milliseconds answer_time{10'000};
constexpr milliseconds kill_grace{500};

milliseconds left(steady_clock::time_point until) {
    return std::max(milliseconds(0), std::chrono::ceil<milliseconds>(until - steady_clock::now()));
}

Command tool_command(std::vector<std::string> argv) {
    Command command;
    command.argv = std::move(argv);
    // One language, and no settings of the user's: they could change what is printed.
    command.environment = {{"LC_ALL", "C"}, {"TZ", "UTC"}, {"PERF_CONFIG", "/dev/null"}};
    command.output = Command::Output::apart;
    command.death_signal = SIGINT;
    return command;
}

bool is_note(std::string_view line) {
    for (const std::string_view begin : {"INFO", "Info", "PCM Info", "Warning", "WARNING", "[ perf record:", "DEBUG"})
        if (line.starts_with(begin))
            return true;
    return false;
}

bool complains(std::string_view line) {
    std::string lower(line);
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    for (const std::string_view word :
         {"error", "denied", "fail", "cannot", "can't", "can not", "not supported", "unsupported", "busy", "occupied",
          "not permitted", "no permission", "invalid", "limited", "unable"})
        if (lower.find(word) != std::string::npos)
            return true;
    return false;
}

bool says_something(std::string_view line) {
    return std::ranges::any_of(line, [](unsigned char c) { return std::isalpha(c) != 0; });
}

} // namespace

Result<std::string> find_tool(const std::string& name, const std::string& package) {
    std::string path = "/usr/sbin:/usr/bin:/sbin:/bin";
    const char* const own = std::getenv("PATH");
    if (own != nullptr && ::getauxval(AT_SECURE) == 0)
        path = std::string(own) + ":" + path;
    std::string_view rest = path;
    while (!rest.empty()) {
        const std::string folder(rest.substr(0, rest.find(':')));
        rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
        const std::string candidate = folder + "/" + name;
        if (!folder.empty() && ::access(candidate.c_str(), X_OK) == 0)
            return candidate;
    }
    return fail("there is no program " + name, "install Debian's package " + package, ErrorClass::unavailable);
}

std::vector<std::string> complaints_in(std::string_view output) {
    std::vector<std::string> out;
    int best = -1; // a note, a line that says something, a complaint
    while (!output.empty()) {
        const auto end = output.find('\n');
        const auto line = trim(output.substr(0, end));
        output.remove_prefix(end == std::string_view::npos ? output.size() : end + 1);
        if (!says_something(line) || line == "Error:")
            continue;
        const int worth = is_note(line) ? 0 : complains(line) ? 2 : 1;
        if (worth < best)
            continue;
        if (worth > best)
            out.clear();
        best = worth;
        out.emplace_back(line.substr(0, most_words));
    }
    return out;
}

std::string own_words(std::string_view output) {
    auto all = complaints_in(output);
    return all.empty() ? "" : std::move(all.back());
}

Result<ToolChild> ToolChild::start(std::vector<std::string> argv) {
    auto process = Process::start(tool_command(std::move(argv)));
    if (!process)
        return fail(process.error().what, process.error().hint, ErrorClass::unavailable);
    return ToolChild(std::move(*process));
}

// False at the end of the output.
bool ToolChild::read_some(const Sink& sink) {
    static thread_local std::array<char, chunk_bytes> buffer;
    for (;;) {
        const auto got = ::read(output_.get(), buffer.data(), buffer.size());
        if (got > 0) {
            sink({buffer.data(), static_cast<std::size_t>(got)});
            if (static_cast<std::size_t>(got) < buffer.size())
                return true;
        } else if (got < 0 && errno == EINTR) {
            continue;
        } else if (got < 0 && errno == EAGAIN) {
            return true;
        } else {
            output_.reset();
            return false;
        }
    }
}

bool ToolChild::pump(milliseconds limit, const Sink& sink) {
    (void)process_.wait_for(milliseconds(0)); // what it says of itself; a full pipe would stop it
    if (!output_)
        return false;
    pollfd watched{output_.get(), POLLIN, 0};
    if (::poll(&watched, 1, static_cast<int>(limit.count())) <= 0)
        return true;
    return read_some(sink);
}

int ToolChild::end(milliseconds grace, const Sink& sink) {
    interrupt();
    const auto deadline = steady_clock::now() + grace;
    while (left(deadline).count() > 0 && pump(std::min(left(deadline), milliseconds(100)), sink)) {
    }
    std::optional<int> status = process_.wait_for(left(deadline));
    killed_ = !status;
    return status ? *status : process_.stop(SIGTERM, kill_grace);
}

Result<ToolAnswer> ask_tool(std::vector<std::string> argv) {
    auto process = Process::start(tool_command(std::move(argv)));
    if (!process)
        return fail(process.error().what, process.error().hint, ErrorClass::unavailable);
    const auto deadline = steady_clock::now() + answer_time;
    std::optional<int> status;
    while (!status && left(deadline).count() > 0)
        status = process->wait_for(left(deadline));
    if (!status)
        status = process->stop(SIGINT, kill_grace);
    return ToolAnswer{*status, process->output(), process->errors()};
}

} // namespace snapscope
