// A metric as data: name, unit, source, formula over that source's totals, the
// events behind it by processor, and what it does not say (analyzer/metrics/).
//
//   name NAME / unit UNIT / better higher|lower|none / source SOURCE
//   formula + - * / and brackets over totals' names, numbers, and `seconds`
//   events TEXT and caveat TEXT, any number of lines each
#pragma once

#include <snapscope/analyzer/metrics.hpp>
#include <snapscope/base/result.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace snapscope {

struct MetricFile {
    std::string name, unit, source, formula;
    Better better = Better::none;
    std::vector<std::string> events;
    std::string caveat;
};

// Every key is there, and the formula is one; an error names the line.
[[nodiscard]] Result<MetricFile> read_metric(std::string_view text);

using FormulaInput = std::function<std::optional<double>(std::string_view)>;
// nullopt where an input is absent, or something is divided by 0.  Class failed:
// FORMULA is none.
[[nodiscard]] Result<std::optional<double>> evaluate(std::string_view formula, const FormulaInput& input);

// Those that this program was built with, by file name.
[[nodiscard]] const std::vector<MetricFile>& metric_files();

// Texts of the files, put there by the build.
[[nodiscard]] std::vector<std::string_view> metric_texts();

} // namespace snapscope
