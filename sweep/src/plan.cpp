#include <snapscope/base/text.hpp>
#include <snapscope/sweep/plan.hpp>

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace snapscope {
namespace {

constexpr std::size_t most_values = 10000;

// SplitMix64 (Steele, Lea, Flood 2014).
class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    // Uniform below BOUND: what would favour low values is drawn again.
    std::uint64_t below(std::uint64_t bound) {
        const std::uint64_t uneven = (UINT64_MAX % bound + 1) % bound;
        std::uint64_t value = next();
        while (value > UINT64_MAX - uneven)
            value = next();
        return value % bound;
    }

  private:
    std::uint64_t next() {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
        z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
        return z ^ (z >> 31U);
    }
    std::uint64_t state_;
};

std::vector<SweepPoint> combinations(const SweepSpec& spec) {
    std::vector<SweepPoint> points;
    for (const double x : spec.xs)
        for (const auto& mode : spec.modes) {
            SweepPoint point;
            point.x = x;
            point.mode = mode;
            points.push_back(std::move(point));
        }
    for (const auto& variable : spec.variables) {
        std::vector<SweepPoint> more;
        for (const auto& point : points)
            for (const auto& value : variable.values) {
                more.push_back(point);
                more.back().variables.push_back({variable.name, value});
            }
        points = std::move(more);
    }
    return points;
}

bool same_settings(const std::vector<Setting>& a, const std::vector<Setting>& b) {
    return std::ranges::equal(a, b, [](const Setting& one, const Setting& other) {
        return one.name == other.name && one.value == other.value;
    });
}

} // namespace

Result<std::vector<std::uint32_t>> parse_values(std::string_view text, std::string_view option) {
    const auto wrong = [&](const std::string& why) {
        return fail(fmt::format("{} {}: {}", option, text, why), "e.g. 200:1000:100 or 200,400,1000",
                    ErrorClass::usage);
    };
    const bool range = text.find(':') != std::string_view::npos;
    std::vector<std::uint32_t> numbers;
    for (const auto& word : split(text, range ? ':' : ',')) {
        const auto number = parse_integer<std::uint32_t>(word);
        if (!number)
            return wrong(fmt::format("'{}' is no whole number", word));
        numbers.push_back(*number);
    }
    if (range) {
        if (numbers.size() != 3)
            return wrong("a range is FROM:TO:STEP");
        const auto [from, to, step] = std::array{numbers[0], numbers[1], numbers[2]};
        if (step == 0 || from > to)
            return wrong("a range ascends by a step above 0");
        if ((to - from) / step >= most_values)
            return wrong(fmt::format("more than {} values", most_values));
        numbers.clear();
        for (std::uint64_t value = from; value <= to; value += step)
            numbers.push_back(static_cast<std::uint32_t>(value));
    }
    std::ranges::sort(numbers);
    if (std::ranges::adjacent_find(numbers) != numbers.end())
        return wrong("a value stands twice");
    return numbers;
}

std::vector<SweepPoint> plan_points(const SweepSpec& spec) {
    std::vector<SweepPoint> block = combinations(spec);
    std::vector<SweepPoint> points;
    Random random(spec.seed);
    for (std::uint32_t repeat = 1; repeat <= spec.repeats; ++repeat) {
        if (repeat % 2 == 1)
            for (std::size_t left = block.size(); left > 1; --left)
                std::swap(block[left - 1], block[random.below(left)]);
        else
            std::ranges::reverse(block);
        for (auto point : block) {
            point.repeat = repeat;
            point.order = static_cast<std::uint32_t>(points.size());
            points.push_back(std::move(point));
        }
    }
    return points;
}

std::string variable_of(const SweepPoint& point, std::string_view name) {
    const auto at = std::ranges::find(point.variables, name, &Setting::name);
    return at == point.variables.end() ? std::string() : at->value;
}

std::string describe(const SweepPoint& point, const std::string& x) {
    std::string text = fmt::format("{} {}", x, point.x);
    if (!point.mode.empty())
        text += ", " + point.mode;
    for (const auto& variable : point.variables)
        text += fmt::format(", {} {}", variable.name, variable.value);
    return text + fmt::format(", repeat {}", point.repeat);
}

std::string run_name(const SweepPoint& point) {
    std::string name = fmt::format("{}", point.x);
    if (!point.mode.empty())
        name += "-" + point.mode;
    for (const auto& variable : point.variables)
        name += fmt::format("-{}-{}", variable.name, variable.value);
    name += fmt::format("-r{}-o{}.snap", point.repeat, point.order);
    for (char& c : name) {
        const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
                           c == '_' || c == '-';
        if (!plain)
            c = '_';
    }
    return name;
}

bool same_plan(const SweepFile& a, const SweepFile& b) {
    return a.x == b.x && a.seed == b.seed &&
           std::ranges::equal(a.points, b.points, [](const SweepPoint& one, const SweepPoint& other) {
               return one.x == other.x && one.mode == other.mode && one.repeat == other.repeat &&
                      one.order == other.order && same_settings(one.variables, other.variables);
           });
}

} // namespace snapscope
