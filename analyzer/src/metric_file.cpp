#include "metric_file.hpp"

#include <snapscope/base/text.hpp>

#include <cmath>
#include <cstdlib>
#include <fmt/format.h>

namespace snapscope {
namespace {

constexpr int deepest = 64; // brackets within brackets

// One pass over the text; `failed` once it is no formula.
class Formula {
  public:
    Formula(std::string_view text, const FormulaInput& input) : rest_(text), input_(&input) {}

    std::optional<double> run() {
        auto value = sum(0);
        skip_blanks();
        if (!rest_.empty())
            failed_ = true;
        return failed_ ? std::nullopt : value;
    }
    [[nodiscard]] bool failed() const { return failed_; }

  private:
    using Value = std::optional<double>;

    void skip_blanks() {
        while (!rest_.empty() && rest_.front() == ' ')
            rest_.remove_prefix(1);
    }
    // The sign, taken from the text; 0 for neither.
    char take(char one, char other) {
        skip_blanks();
        if (rest_.empty() || (rest_.front() != one && rest_.front() != other))
            return 0;
        const char sign = rest_.front();
        rest_.remove_prefix(1);
        return sign;
    }
    Value sum(int depth) {
        Value left = product(depth);
        while (const char sign = take('+', '-')) {
            const Value right = product(depth);
            left = left && right ? Value(sign == '+' ? *left + *right : *left - *right) : std::nullopt;
        }
        return left;
    }
    Value product(int depth) {
        Value left = atom(depth);
        while (const char sign = take('*', '/')) {
            const Value right = atom(depth);
            if (!left || !right || (sign == '/' && *right == 0))
                left.reset();
            else
                left = sign == '*' ? *left * *right : *left / *right;
        }
        return left;
    }
    Value atom(int depth) {
        if (take('(', '(') != 0) {
            if (depth == deepest) {
                failed_ = true;
                return std::nullopt;
            }
            const Value inner = sum(depth + 1);
            failed_ |= take(')', ')') == 0;
            return inner;
        }
        const auto end = rest_.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789.");
        const auto word = rest_.substr(0, end);
        rest_.remove_prefix(word.size());
        if (word.empty()) {
            failed_ = true;
            rest_ = {};
            return std::nullopt;
        }
        if (word.front() >= '0' && word.front() <= '9') {
            const auto number = parse_double(word);
            failed_ |= !number;
            return number;
        }
        failed_ |= word.find('.') != std::string_view::npos;
        return (*input_)(word);
    }

    std::string_view rest_;
    const FormulaInput* input_;
    bool failed_ = false;
};

std::optional<Better> better_of(std::string_view word) {
    for (const Better better : {Better::higher, Better::lower, Better::none})
        if (word == to_string(better))
            return better;
    return std::nullopt;
}

} // namespace

Result<std::optional<double>> evaluate(std::string_view formula, const FormulaInput& input) {
    Formula run(formula, input);
    const auto value = run.run();
    if (run.failed())
        return fail(fmt::format("'{}' is no formula", formula), "names of totals, numbers, + - * / and brackets");
    return value && std::isfinite(*value) ? value : std::nullopt;
}

Result<MetricFile> read_metric(std::string_view text) {
    MetricFile out;
    std::size_t number = 0;
    bool has_better = false;
    for (const auto& line : split(text, '\n')) {
        ++number;
        const auto trimmed = trim(line);
        if (trimmed.empty())
            continue;
        const auto key = trimmed.substr(0, trimmed.find(' '));
        const auto value = trim(trimmed.substr(key.size()));
        std::string* const field = key == "name"      ? &out.name
                                   : key == "unit"    ? &out.unit
                                   : key == "source"  ? &out.source
                                   : key == "formula" ? &out.formula
                                                      : nullptr;
        const auto wrong = [&] { return fail(fmt::format("line {} of a metric: '{}'", number, trimmed)); };
        if (value.empty() || (field != nullptr && !field->empty()))
            return wrong();
        if (field != nullptr) {
            *field = value;
        } else if (key == "better") {
            const auto better = better_of(value);
            if (!better)
                return wrong();
            out.better = *better;
            has_better = true;
        } else if (key == "events") {
            out.events.emplace_back(value);
        } else if (key == "caveat") {
            out.caveat += (out.caveat.empty() ? "" : " ") + std::string(value);
        } else {
            return wrong();
        }
    }
    if (out.name.empty() || out.unit.empty() || out.source.empty() || !has_better || out.events.empty() ||
        out.caveat.empty())
        return fail("a metric lacks its name, unit, better, source, events or caveat");
    if (auto formula = evaluate(out.formula, [](std::string_view) { return std::nullopt; }); !formula)
        return fail(formula.error());
    return out;
}

const std::vector<MetricFile>& metric_files() {
    static const std::vector<MetricFile> files = [] {
        std::vector<MetricFile> out;
        for (const std::string_view text : metric_texts()) {
            auto metric = read_metric(text);
            if (!metric)
                std::abort(); // a test reads each: the build's own files
            out.push_back(std::move(*metric));
        }
        return out;
    }();
    return files;
}

} // namespace snapscope
