// A stand-in for Debian's pcm and pcm-msr where no PMU is: behaves as `pcm SECONDS
// -csv -nc -f` does, with the header and the rows that REPLAY_DIR holds.
//
// REPLAY_DIR/pcm.header   two lines; REPLAY_DIR/pcm.rows   the cells behind date
// and time, a line a row, the last one again and again.  REPLAY_DIR/pcm:
//   access                registers can be read
//   refuse STATUS TEXT    pcm ends with these words, before any row
//   stall ROWS            nothing more comes after so many
//   die ROWS STATUS TEXT  it ends by itself after so many
//   undated               the first row's date and time are blank
//   deaf                  SIGINT does nothing
// Rows are stamped a whole interval apart, so that what they say is exact.
#include "replay.hpp"

#include <cstdio>
#include <fmt/format.h>

namespace {

using replay::Line;

// pcm-msr exits 0 whatever happens; only what it prints tells.
int read_register(const std::vector<Line>& script) {
    if (replay::has(script, "access"))
        std::puts(" Read value 0x2f1b3c5d from MSR 0x10 on core 0\n");
    else
        std::fputs("PCM Error: can't open MSR handle for core 0 (No such file or directory)\n", stderr);
    return 0;
}

std::vector<std::string> lines_of(const char* name) {
    std::vector<std::string> out;
    std::ifstream in(replay::folder() / name);
    for (std::string line; std::getline(in, line);)
        out.push_back(line);
    return out;
}

std::string stamp(std::int64_t wall_ns) {
    const auto seconds = static_cast<std::time_t>(wall_ns / 1'000'000'000);
    std::tm local{};
    ::localtime_r(&seconds, &local);
    return fmt::format("{:04}-{:02}-{:02},{:02}:{:02}:{:02}.{:03},", local.tm_year + 1900, local.tm_mon + 1,
                       local.tm_mday, local.tm_hour, local.tm_min, local.tm_sec, wall_ns / 1'000'000 % 1000);
}

std::int64_t wall_ns() {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

int clean_up() {
    std::fputs("Cleaning up\n Zeroed uncore PMU registers\n", stderr);
    replay::log("pcm", "interrupted");
    return 0;
}

int print_rows(double interval_s, const std::vector<Line>& script) {
    const auto rows = lines_of("pcm.rows");
    const Line* stall = replay::find(script, "stall");
    const Line* death = replay::find(script, "die");
    const auto header = lines_of("pcm.header");
    replay::print(header.at(0) + "\n" + header.at(1));
    const auto interval_ns = static_cast<std::int64_t>(interval_s * 1e9);
    std::int64_t end = wall_ns() / 1'000'000 * 1'000'000;
    for (std::uint64_t row = 0;; ++row) {
        if (death != nullptr && row == death->number(0)) {
            std::fputs((death->rest(2) + "\n").c_str(), stderr);
            return static_cast<int>(death->number(1));
        }
        end += interval_ns;
        while (!replay::interrupted() && (wall_ns() < end || (stall != nullptr && row >= stall->number(0))))
            replay::nap();
        if (replay::interrupted())
            return clean_up();
        const bool dated = row > 0 || !replay::has(script, "undated");
        replay::print("\n" + (dated ? stamp(end) : ",,") + rows.at(std::min<std::size_t>(row, rows.size() - 1)));
    }
}

} // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    const auto script = replay::script("pcm");
    const std::string name = std::filesystem::path(argv[0]).filename().string();
    replay::log(name, replay::joined(arguments));
    if (name == "pcm-msr")
        return read_register(script);
    std::fputs("\n Intel(r) Performance Counter Monitor  (replay)\n\n", stderr);
    if (const Line* refusal = replay::find(script, "refuse")) {
        std::fputs((refusal->rest(1) + "\nCleaning up\n").c_str(), stderr);
        return static_cast<int>(refusal->number(0));
    }
    if (!replay::has(script, "access")) {
        std::fputs("ERROR: vPMU is not enabled in the hypervisor. \n"
                   "Access to Intel(r) Performance Counter Monitor has denied (no MSR or PCI CFG space access).\n",
                   stderr);
        return 1;
    }
    replay::on_interrupt(replay::has(script, "deaf"));
    return print_rows(std::stod(arguments.at(0)), script);
}
