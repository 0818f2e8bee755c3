// snapscope top TARGET
#include "exit.hpp"
#include "interrupt.hpp"
#include "option_checks.hpp"
#include "target_options.hpp"
#include "top/screen.hpp"
#include "top/terminal.hpp"
#include "verbs.hpp"

#include <snapscope/base/text.hpp>
#include <snapscope/collector/reattachment.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <fmt/format.h>
#include <thread>
#include <unistd.h>

namespace snapscope::cli {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

struct VerbOptions {
    SessionOptions session;
    std::string sources;
    milliseconds interval{1000};
    bool once = false;
};

constexpr const char* examples = "Examples:\n"
                                 "  snapscope top\n"
                                 "  snapscope top --port 5433 --events\n"
                                 "  snapscope top --pgdata /srv/pg/data --once\n";

constexpr int shortest_interval_ms = 100;
constexpr int longest_interval_ms = 3'600'000;
constexpr std::array<int, 9> interval_steps_ms{100, 200, 500, 1000, 2000, 5000, 10000, 30000, 60000};
constexpr std::size_t page = 10; // lines
constexpr std::size_t text_columns = 100;

milliseconds next_step(milliseconds now, bool longer) {
    const auto ms = static_cast<int>(now.count());
    if (longer) {
        const auto* const step = std::ranges::upper_bound(interval_steps_ms, ms);
        return milliseconds(step == interval_steps_ms.end() ? ms : *step);
    }
    const auto* const step = std::ranges::lower_bound(interval_steps_ms, ms);
    return milliseconds(step == interval_steps_ms.begin() ? ms : *(step - 1));
}

class Top {
  public:
    Top(VerbOptions& options, TopTerminal terminal, Session session, const std::atomic<bool>& stop)
        : options_(options), terminal_(std::move(terminal)), stop_(stop) {
        attach(std::move(session));
    }

    Result<int> run() {
        draw();
        while (!stop_.load() && !quit_) {
            const auto pause = look();
            if (!pause)
                return fail(pause.error());
            act(terminal_.wait(static_cast<int>(pause->count()), session_ ? session_->server_fd() : -1));
        }
        return exit_done;
    }

  private:
    void attach(Session session) {
        session_.emplace(std::move(session));
        reattachment_.attached(options_.session, session_->info());
        model_.attached(session_->info());
        next_sample_ = Clock::now() + options_.interval;
    }

    // Whatever is due; how long to wait for the next thing.
    Result<milliseconds> look() {
        if (session_ && session_->ended()) {
            session_.reset();
            away("the server has ended; waiting for it to come back");
        }
        if (!session_) {
            if (Clock::now() >= reattachment_.due())
                attach_again();
            return until(session_ ? next_sample_ : reattachment_.due());
        }
        const auto drained = session_->drain();
        if (!drained)
            return fail(drained.error());
        if (Clock::now() >= next_sample_) {
            model_.add(session_->sample());
            next_sample_ = std::max(next_sample_ + options_.interval, Clock::now());
            draw();
        }
        return std::min(until(next_sample_), std::chrono::ceil<milliseconds>(*drained));
    }

    void away(const std::string& why) {
        model_.away(why);
        reattachment_.postpone();
        draw();
    }

    void attach_again() {
        auto session = reattachment_.attempt(options_.session);
        if (!session)
            return away(session.error().what);
        attach(std::move(*session));
        draw();
    }

    // Signals that come before the wait are seen after it, so that it is short.
    [[nodiscard]] static milliseconds until(Clock::time_point moment) {
        constexpr milliseconds longest{100};
        return std::clamp(std::chrono::ceil<milliseconds>(moment - Clock::now()), milliseconds(0), longest);
    }

    void act(Key key) {
        const std::size_t most = most_scroll(shown(), screen());
        switch (key) {
        case Key::none:
            return;
        case Key::quit:
        case Key::gone:
            quit_ = true;
            return;
        case Key::pause:
            paused_ = paused_ ? std::nullopt : std::optional(model_.state());
            break;
        case Key::faster:
        case Key::slower:
            options_.interval = next_step(options_.interval, key == Key::slower);
            next_sample_ = std::min(next_sample_, Clock::now() + options_.interval);
            break;
        case Key::up:
            scroll_ -= std::min<std::size_t>(scroll_, 1);
            break;
        case Key::page_up:
            scroll_ -= std::min(scroll_, page);
            break;
        case Key::down:
            scroll_ = std::min(scroll_ + 1, most);
            break;
        case Key::page_down:
            scroll_ = std::min(scroll_ + page, most);
            break;
        case Key::home:
            scroll_ = 0;
            break;
        case Key::end:
            scroll_ = most;
            break;
        case Key::resized:
            scroll_ = std::min(scroll_, most);
            break;
        }
        draw();
    }

    [[nodiscard]] const TopState& shown() const { return paused_ ? *paused_ : model_.state(); }

    [[nodiscard]] ScreenOptions screen() const {
        ScreenOptions out;
        out.columns = terminal_.columns();
        out.rows = terminal_.rows();
        out.scroll = scroll_;
        out.interval_s = std::chrono::duration<double>(options_.interval).count();
        out.paused = paused_.has_value();
        out.unicode = terminal_.unicode();
        return out;
    }

    void draw() { terminal_.draw(top_screen(shown(), screen())); }

    VerbOptions& options_;
    TopTerminal terminal_;
    const std::atomic<bool>& stop_;
    std::optional<Session> session_;
    TopModel model_;
    std::optional<TopState> paused_; // what stands on the screen meanwhile
    Clock::time_point next_sample_;
    Reattachment reattachment_;
    std::size_t scroll_ = 0;
    bool quit_ = false;
};

// One interval, as text.
Status run_once(const VerbOptions& options, Session session, const Context& context, const std::atomic<bool>& stop) {
    TopModel model;
    model.attached(session.info());
    const auto end = Clock::now() + options.interval;
    while (Clock::now() < end && !stop.load()) {
        const auto pause = session.drain();
        if (!pause)
            return fail(pause.error());
        std::this_thread::sleep_for(std::min<Clock::duration>({*pause, end - Clock::now(), milliseconds(100)}));
    }
    if (session.ended())
        return fail("the server ended meanwhile");
    model.add(session.sample());
    ScreenOptions screen;
    screen.columns = text_columns;
    screen.interval_s = std::chrono::duration<double>(options.interval).count();
    screen.keys = false;
    std::string out;
    for (const Line& line : top_lines(model.state(), screen)) {
        std::string text;
        for (const Span& span : line)
            text += context.terminal.paint(span.text, span.tone);
        out += text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
    }
    return print(out);
}

Result<int> run_top(VerbOptions& options, const Context& context) {
    const bool chosen = !options.sources.empty();
    options.session.sources = chosen ? split(options.sources, ',') : sources_without_probes();
    SNAPSCOPE_TRY(check_session(options.session));
    const auto& stop = catch_interrupts();
    if (!options.once && (::isatty(STDIN_FILENO) != 1 || ::isatty(STDOUT_FILENO) != 1))
        return fail("top needs a terminal", "use --once for one screen as text", ErrorClass::usage);
    auto session = Session::open(options.session);
    if (!session)
        return fail(session.error());
    if (options.once) {
        // Of the default ones, those that are not here were not asked for.
        const bool missing = chosen && session->info().attached.size() < options.session.sources.size();
        SNAPSCOPE_TRY(run_once(options, std::move(*session), context, stop));
        return missing ? exit_partial : exit_done;
    }
    auto terminal = TopTerminal::open(context.terminal.colored());
    if (!terminal)
        return fail(terminal.error());
    return Top(options, std::move(*terminal), std::move(*session), stop).run();
}

} // namespace

void add_top(CLI::App& app, Context& context) {
    auto options = std::make_shared<VerbOptions>();
    SessionOptions& session = options->session;
    CLI::App* verb = app.add_subcommand("top", "Live view of a server in a terminal")->group(group_record);
    add_target_options(*verb, session.target);
    verb->add_option("--source", options->sources, "Only these (default: every available one but probes)")
        ->type_name("LIST")
        ->check(not_empty);
    const auto interval = [options](int ms) { options->interval = milliseconds(ms); };
    add_number<int>(*verb, "--interval", "MS", shortest_interval_ms, longest_interval_ms, interval,
                    "Between two screens (default: 1000)");
    verb->add_flag("--events", session.events, "Also time snapshots, from the events of the patched server's rings");
    verb->add_flag("--yes", session.yes, "Probe a binary that other clusters run too");
    verb->add_flag("--once", options->once, "One screen as text, after one interval");
    verb->footer(examples);
    verb->callback(
        [&context, options] { context.action = [&context, options] { return run_top(*options, context); }; });
}

} // namespace snapscope::cli
