#include "json_text.hpp"

#include <snapscope/base/files.hpp>
#include <snapscope/base/text.hpp>
#include <snapscope/recording/sweep.hpp>
#include <snapscope/recording/wall_clock.hpp>

#include <array>
#include <cmath>
#include <fmt/format.h>
#include <set>
#include <tuple>

namespace snapscope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* sweep_name = "sweep.json";
constexpr std::size_t max_sweep_bytes = std::size_t{64} << 20;
constexpr std::array states{PointState::planned, PointState::done, PointState::failed};

// One object's fields, by name and type.  The first problem is kept.
class Fields {
  public:
    Fields(const json& object, std::string pointer) : object_(object), pointer_(std::move(pointer)) {
        if (!object.is_object())
            complain("", "expected an object");
    }
    [[nodiscard]] const std::optional<Error>& problem() const { return problem_; }
    void complain(const std::string& name, const std::string& what) {
        if (!problem_)
            problem_ =
                Error{ErrorClass::failed, fmt::format("{}{}: {}", pointer_, name.empty() ? "" : "/" + name, what), ""};
    }
    // The field, or null (and a problem) where it is absent or fails `is`.
    template <typename Is> const json& get(const char* name, const char* type, Is is) {
        static const json null;
        const auto at = object_.is_object() ? object_.find(name) : object_.end();
        if (!object_.is_object() || at == object_.end() || !is(*at)) {
            complain(name, fmt::format("expected {}", type));
            return null;
        }
        return *at;
    }
    std::string text(const char* name) {
        const json& value = get(name, "a string", [](const json& v) { return v.is_string(); });
        return value.is_string() ? value.get<std::string>() : "";
    }
    std::uint64_t whole(const char* name, std::uint64_t most) {
        const auto fits = [most](const json& v) {
            return v.is_number_integer() && (v.is_number_unsigned() || v.get<std::int64_t>() >= 0) &&
                   v.get<std::uint64_t>() <= most;
        };
        const json& value = get(name, "a whole number in its range", fits);
        return value.is_null() ? 0 : value.get<std::uint64_t>();
    }
    double number(const char* name) {
        const json& value =
            get(name, "a number", [](const json& v) { return v.is_number() && std::isfinite(v.get<double>()); });
        return value.is_number() ? value.get<double>() : 0;
    }
    // None where the field is null or absent.
    std::optional<double> number_or_null(const char* name) {
        const auto at = object_.is_object() ? object_.find(name) : object_.end();
        if (!object_.is_object() || at == object_.end() || at->is_null())
            return std::nullopt;
        return number(name);
    }
    const json& list(const char* name) {
        static const json empty = json::array();
        const json& value = get(name, "an array", [](const json& v) { return v.is_array(); });
        return value.is_array() ? value : empty;
    }

  private:
    const json& object_;
    std::string pointer_;
    std::optional<Error> problem_;
};

// A run lies in the sweep's own folder and nowhere else.
bool is_run_name(const std::string& name) {
    return name.size() > 5 && name.ends_with(".snap") && name.front() != '.' && name.find('/') == std::string::npos &&
           name.find('\0') == std::string::npos;
}

void check_state(const SweepPoint& point, Fields& fields) {
    if ((point.state == PointState::done) != point.run.has_value())
        fields.complain("run", "a point that is done has a run, any other has null");
    else if (point.run && !is_run_name(*point.run))
        fields.complain("run", "expected NAME.snap, a folder inside the sweep");
    if ((point.state == PointState::failed) == point.reason.empty())
        fields.complain("reason", "a point that failed has a reason, any other has none");
    if (point.repeat == 0)
        fields.complain("repeat", "repeats count from 1");
}

Result<SweepPoint> read_point(const json& in, const std::string& pointer) {
    Fields fields(in, pointer);
    SweepPoint out;
    out.x = fields.number("x");
    out.mode = fields.text("mode");
    out.repeat = static_cast<std::uint32_t>(fields.whole("repeat", UINT32_MAX));
    out.order = static_cast<std::uint32_t>(fields.whole("order", UINT32_MAX));
    std::size_t index = 0;
    for (const json& item : fields.list("variables")) {
        Fields variable(item, fmt::format("{}/variables/{}", pointer, index++));
        out.variables.push_back({variable.text("name"), variable.text("value")});
        if (variable.problem())
            return fail(*variable.problem());
    }
    const std::string state = fields.text("state");
    const auto* const known =
        std::find_if(states.begin(), states.end(), [&](PointState s) { return state == to_string(s); });
    if (known == states.end())
        fields.complain("state", "expected planned, done or failed");
    else
        out.state = *known;
    const json& run = fields.get("run", "a string or null", [](const json& v) { return v.is_string() || v.is_null(); });
    if (run.is_string())
        out.run = run.get<std::string>();
    out.reason = fields.text("reason");
    out.warm_up_s = fields.number_or_null("warm_up_s");
    out.steady_tps = fields.number_or_null("steady_tps");
    check_state(out, fields);
    if (fields.problem())
        return fail(*fields.problem());
    return out;
}

std::string key_of(const SweepPoint& point) {
    std::string out = fmt::format("x {}, mode '{}', repeat {}", point.x, point.mode, point.repeat);
    for (const Setting& variable : point.variables)
        out += fmt::format(", {} {}", variable.name, variable.value);
    return out;
}

Status check_points(const std::vector<SweepPoint>& points) {
    std::set<std::string> keys;
    std::set<std::uint32_t> orders;
    std::set<std::string> runs;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const SweepPoint& point = points[i];
        if (!keys.insert(key_of(point)).second)
            return fail(fmt::format("/points/{}: {} stands twice", i, key_of(point)));
        if (!orders.insert(point.order).second)
            return fail(fmt::format("/points/{}/order: place {} stands twice", i, point.order));
        if (point.run && !runs.insert(*point.run).second)
            return fail(fmt::format("/points/{}/run: {} stands twice", i, *point.run));
    }
    return {};
}

json point_to_json(const SweepPoint& point) {
    json variables = json::array();
    for (const Setting& variable : point.variables)
        variables.push_back({{"name", to_utf8(variable.name)}, {"value", to_utf8(variable.value)}});
    return {{"x", point.x},
            {"mode", to_utf8(point.mode)},
            {"repeat", point.repeat},
            {"order", point.order},
            {"variables", std::move(variables)},
            {"state", to_string(point.state)},
            {"run", point.run ? json(to_utf8(*point.run)) : json()},
            {"reason", to_utf8(point.reason)},
            {"warm_up_s", point.warm_up_s ? json(*point.warm_up_s) : json()},
            {"steady_tps", point.steady_tps ? json(*point.steady_tps) : json()}};
}

} // namespace

const char* to_string(PointState state) {
    switch (state) {
    case PointState::done:
        return "done";
    case PointState::failed:
        return "failed";
    case PointState::planned:
        break;
    }
    return "planned";
}

json sweep_to_json(const SweepFile& sweep) {
    json points = json::array();
    for (const SweepPoint& point : sweep.points)
        points.push_back(point_to_json(point));
    json warnings = json::array();
    for (const std::string& warning : sweep.warnings)
        warnings.push_back(to_utf8(warning));
    return {{"schema_version", sweep_schema_version},
            {"id", sweep.id},
            {"tool", {{"name", "snapscope"}, {"version", sweep.tool_version}}},
            {"x", sweep.x},
            {"seed", sweep.seed},
            {"load", to_utf8(sweep.load)},
            {"wall_start", sweep.wall_start},
            {"points", std::move(points)},
            {"warnings", std::move(warnings)}};
}

Result<SweepFile> sweep_from_json(const json& in) {
    Fields fields(in, "");
    if (const auto version = fields.whole("schema_version", UINT32_MAX); version != sweep_schema_version)
        return fail(fmt::format("/schema_version: {} is not {}", version, sweep_schema_version),
                    "read it with the snapscope that wrote it");
    SweepFile out;
    out.id = fields.text("id");
    if (out.id.size() != 32 || out.id.find_first_not_of("0123456789abcdef") != std::string::npos)
        fields.complain("id", "expected 32 lower-case hex digits");
    Fields tool(fields.get("tool", "an object", [](const json& v) { return v.is_object(); }), "/tool");
    out.tool_version = tool.text("version");
    out.x = fields.text("x");
    if (out.x != "max_connections" && out.x != "clients")
        fields.complain("x", "expected max_connections or clients");
    out.seed = fields.whole("seed", UINT64_MAX);
    out.load = fields.text("load");
    out.wall_start = fields.text("wall_start");
    if (!parse_wall_time(out.wall_start))
        fields.complain("wall_start", "expected RFC 3339 in UTC");
    for (const json& warning : fields.list("warnings")) {
        if (!warning.is_string())
            fields.complain("warnings", "expected strings");
        else
            out.warnings.push_back(warning.get<std::string>());
    }
    const json& points = fields.list("points");
    for (const auto* problem : {&fields.problem(), &tool.problem()})
        if (*problem)
            return fail(**problem);
    for (std::size_t i = 0; i < points.size(); ++i) {
        auto point = read_point(points[i], fmt::format("/points/{}", i));
        if (!point)
            return fail(point.error());
        out.points.push_back(std::move(*point));
    }
    SNAPSCOPE_TRY(check_points(out.points));
    return out;
}

Result<SweepFile> read_sweep_file(const fs::path& folder) {
    const fs::path path = folder / sweep_name;
    const auto bytes = read_file(path, max_sweep_bytes);
    if (!bytes)
        return fail(bytes.error().what, "give a sweep folder (NAME.sweep)");
    const auto parsed = parse_json(*bytes, path.string());
    if (!parsed)
        return fail(parsed.error());
    auto sweep = sweep_from_json(*parsed);
    if (!sweep)
        return fail(fmt::format("{}: {}", path.string(), sweep.error().what), sweep.error().hint);
    return sweep;
}

Status write_sweep_file(const fs::path& folder, const SweepFile& sweep) {
    const json out = sweep_to_json(sweep);
    if (const auto checked = sweep_from_json(out); !checked)
        return fail("cannot write a sweep that nobody could read: " + checked.error().what);
    return write_file_atomically(folder / sweep_name, out.dump(1) + "\n");
}

} // namespace snapscope
