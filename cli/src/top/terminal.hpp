// The terminal of `top`: ncurses draws the lines of screen.hpp and gives keys.
#pragma once

#include "screen.hpp"

#include <snapscope/base/result.hpp>

#include <memory>
#include <optional>

namespace snapscope::cli {

enum class Key { none, quit, pause, faster, slower, up, down, page_up, page_down, home, end, resized, gone };

// Owns the terminal: as it was again when this goes, however the verb ends.
// Signals must be caught before (interrupt.hpp), or they would end the process
// with the terminal as ncurses left it.
class TopTerminal {
  public:
    // Fails where standard input or output is none, or TERM is not known.
    static Result<TopTerminal> open(bool colored);
    TopTerminal(TopTerminal&&) noexcept;
    TopTerminal& operator=(TopTerminal&&) = delete;
    TopTerminal(const TopTerminal&) = delete;
    TopTerminal& operator=(const TopTerminal&) = delete;
    ~TopTerminal();

    [[nodiscard]] std::size_t columns() const;
    [[nodiscard]] std::size_t rows() const;
    [[nodiscard]] bool unicode() const;
    void draw(const std::vector<Line>& lines);
    // A key, within WAIT_MS; a signal or a change of size ends the wait early, and
    // so does WAKE_FD (-1: none).
    [[nodiscard]] Key wait(int wait_ms, int wake_fd);

  private:
    struct State;
    explicit TopTerminal(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

} // namespace snapscope::cli
