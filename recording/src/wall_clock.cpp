#include <snapscope/base/text.hpp>
#include <snapscope/recording/wall_clock.hpp>

#include <chrono>
#include <fmt/format.h>

namespace snapscope {
namespace {

constexpr std::int64_t ns_per_s = 1'000'000'000;

// "2024-05-01T12:00:00": digits and separators at fixed places.
constexpr std::string_view shape = "dddd-dd-ddTdd:dd:dd";

bool has_shape(std::string_view text) {
    if (text.size() < shape.size())
        return false;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const bool digit = text[i] >= '0' && text[i] <= '9';
        if (shape[i] == 'd' ? !digit : text[i] != shape[i])
            return false;
    }
    return true;
}

// ".5Z" is 500,000,000 and "Z" is 0.
std::optional<std::int64_t> fraction_ns(std::string_view text) {
    if (text == "Z")
        return 0;
    if (text.size() < 3 || text.size() > 11 || text.front() != '.' || text.back() != 'Z')
        return std::nullopt;
    std::string digits(text.substr(1, text.size() - 2));
    digits.resize(9, '0');
    if (digits.find_first_not_of("0123456789") != std::string::npos)
        return std::nullopt;
    return parse_integer<std::int64_t>(digits);
}

} // namespace

std::string format_wall_time(std::int64_t unix_ns) {
    using namespace std::chrono;
    const sys_time<nanoseconds> time{nanoseconds(unix_ns)};
    const auto day = floor<days>(time);
    const year_month_day date{day};
    const hh_mm_ss<nanoseconds> clock{time - day};
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:09}Z", static_cast<int>(date.year()),
                       static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), clock.hours().count(),
                       clock.minutes().count(), clock.seconds().count(), clock.subseconds().count());
}

std::optional<std::int64_t> parse_wall_time(std::string_view text) {
    using namespace std::chrono;
    if (!has_shape(text))
        return std::nullopt;
    const auto number = [text](std::size_t at, std::size_t count) {
        return parse_integer<unsigned>(text.substr(at, count)).value_or(0);
    };
    const year_month_day date{year(static_cast<int>(number(0, 4))), month(number(5, 2)), day(number(8, 2))};
    const auto fraction = fraction_ns(text.substr(shape.size()));
    // Second 60 is a leap second; it has no place in Unix time.
    if (!date.ok() || number(11, 2) > 23 || number(14, 2) > 59 || number(17, 2) > 59 || !fraction)
        return std::nullopt;
    const std::int64_t seconds = sys_days(date).time_since_epoch().count() * std::int64_t{86'400} +
                                 number(11, 2) * std::int64_t{3600} + number(14, 2) * std::int64_t{60} + number(17, 2);
    // What 64 bits of nanoseconds hold: 1677 to 2262.
    if (seconds > INT64_MAX / ns_per_s - 1 || seconds < INT64_MIN / ns_per_s + 1)
        return std::nullopt;
    return seconds * ns_per_s + *fraction;
}

} // namespace snapscope
