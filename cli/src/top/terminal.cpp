#include "terminal.hpp"

#include <snapscope/collector/capabilities.hpp>

#include <array>
#include <clocale>
#include <csignal>
#include <langinfo.h>
#include <poll.h>
#include <string_view>
#include <termios.h>
#include <unistd.h>
// Functions, not macros: these names are too common.
#define NCURSES_NOMACROS 1
#include <ncurses.h>

namespace snapscope::cli {
namespace {

constexpr int ctrl_c = 3;
constexpr int ctrl_d = 4;
constexpr int ctrl_l = 12;

// Pairs of init_pair().
enum Colour : short { good_pair = 1, bad_pair, warn_pair };

// Ctrl-C becomes a key: as a signal, a second one would end the process at once
// and leave the terminal as it is.
void take_interrupt_key() {
    termios settings{};
    if (::tcgetattr(STDIN_FILENO, &settings) != 0)
        return;
    settings.c_cc[VINTR] = _POSIX_VDISABLE;
    ::tcsetattr(STDIN_FILENO, TCSANOW, &settings);
}

Key key_of(int code) {
    switch (code) {
    case ERR:
        return Key::none;
    case 'q':
    case 'Q':
    case ctrl_c:
    case ctrl_d:
        return Key::quit;
    case 'p':
    case 'P':
    case ' ':
        return Key::pause;
    case '+':
    case '=':
        return Key::slower;
    case '-':
        return Key::faster;
    case KEY_UP:
    case 'k':
        return Key::up;
    case KEY_DOWN:
    case 'j':
        return Key::down;
    case KEY_PPAGE:
    case KEY_LEFT:
        return Key::page_up;
    case KEY_NPAGE:
    case KEY_RIGHT:
        return Key::page_down;
    case KEY_HOME:
        return Key::home;
    case KEY_END:
        return Key::end;
    case ctrl_l: // all of it anew, whatever the screen holds
        ::clearok(stdscr, TRUE);
        return Key::resized;
    case KEY_RESIZE:
        return Key::resized;
    default:
        return Key::none;
    }
}

} // namespace

struct TopTerminal::State {
    SCREEN* screen = nullptr;
    bool colored = false;
    bool unicode = false;

    State() = default;
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    State(State&&) = delete;
    State& operator=(State&&) = delete;
    ~State() {
        if (screen == nullptr)
            return;
        ::endwin();
        ::delscreen(screen);
    }

    [[nodiscard]] attr_t attributes(Tone tone) const {
        const auto colour = [this](Colour pair, attr_t plain) {
            return colored ? static_cast<attr_t>(::COLOR_PAIR(pair)) : plain;
        };
        switch (tone) {
        case Tone::strong:
            return A_BOLD;
        case Tone::faint:
            return A_DIM;
        case Tone::good:
            return colour(good_pair, A_NORMAL);
        case Tone::bad:
            return colour(bad_pair, A_REVERSE);
        case Tone::warn:
            return colour(warn_pair, A_UNDERLINE);
        case Tone::plain:
            break;
        }
        return A_NORMAL;
    }
};

TopTerminal::TopTerminal(std::unique_ptr<State> state) : state_(std::move(state)) {}
TopTerminal::TopTerminal(TopTerminal&&) noexcept = default;
TopTerminal::~TopTerminal() = default;

Result<TopTerminal> TopTerminal::open(bool colored) {
    if (::isatty(STDIN_FILENO) != 1 || ::isatty(STDOUT_FILENO) != 1)
        return fail("top needs a terminal", "use --once for one screen as text", ErrorClass::usage);
    // Locale and terminal are described in files that the environment names.
    const LoweredCapabilities lowered;
    std::setlocale(LC_CTYPE, "");
    auto state = std::make_unique<State>();
    state->unicode = std::string_view(::nl_langinfo(CODESET)) == "UTF-8";
    state->screen = ::newterm(nullptr, stdout, stdin);
    if (state->screen == nullptr)
        return fail("top does not know this terminal", "set TERM, or use --once for one screen as text",
                    ErrorClass::usage);
    ::cbreak();
    ::noecho();
    take_interrupt_key();
    ::def_prog_mode();
    ::keypad(stdscr, TRUE);
    ::nodelay(stdscr, TRUE);
    ::curs_set(0);
    state->colored = colored && ::has_colors() && ::start_color() == OK;
    if (state->colored) {
        ::use_default_colors();
        ::init_pair(good_pair, COLOR_GREEN, -1);
        ::init_pair(bad_pair, COLOR_RED, -1);
        ::init_pair(warn_pair, COLOR_YELLOW, -1);
    }
    return TopTerminal(std::move(state));
}

std::size_t TopTerminal::columns() const {
    return static_cast<std::size_t>(std::max(::getmaxx(stdscr), 0));
}

std::size_t TopTerminal::rows() const {
    return static_cast<std::size_t>(std::max(::getmaxy(stdscr), 0));
}

bool TopTerminal::unicode() const {
    return state_->unicode;
}

void TopTerminal::draw(const std::vector<Line>& lines) {
    ::werase(stdscr);
    for (std::size_t y = 0; y < lines.size(); ++y) {
        ::wmove(stdscr, static_cast<int>(y), 0);
        for (const Span& span : lines[y]) {
            ::wattrset(stdscr, static_cast<int>(state_->attributes(span.tone)));
            ::waddnstr(stdscr, span.text.c_str(), static_cast<int>(span.text.size()));
        }
    }
    ::wattrset(stdscr, A_NORMAL);
    ::wrefresh(stdscr);
}

Key TopTerminal::wait(int wait_ms, int wake_fd) {
    if (const Key waiting = key_of(::wgetch(stdscr)); waiting != Key::none)
        return waiting;
    std::array<pollfd, 2> watched{{{STDIN_FILENO, POLLIN, 0}, {wake_fd, POLLIN, 0}}};
    const int ready = ::poll(watched.data(), watched.size(), wait_ms);
    if (ready > 0 && (watched[0].revents & (POLLHUP | POLLERR | POLLNVAL)) != 0)
        return Key::gone;
    // Also after a signal: a change of size is a key.
    return key_of(::wgetch(stdscr));
}

} // namespace snapscope::cli
