// The file of core_latency.hpp as it is read: strictly.
#include "json_text.hpp"

#include <snapscope/base/files.hpp>
#include <snapscope/recording/core_latency.hpp>

#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unordered_set>
#include <utility>

namespace snapscope {
namespace {

using nlohmann::json;

constexpr std::size_t max_file_bytes = std::size_t{256} << 20;

// One object of the file.  The first thing that is wrong is kept, and what is
// read after it is a default.
class Object {
  public:
    Object(const json& in, std::string at, std::string& wrong) : in_(in), at_(std::move(at)), wrong_(wrong) {
        if (!in.is_object())
            complain("", "is no object");
    }
    double number(const char* name, double low = -HUGE_VAL) const {
        const json& value = field(name);
        if (value.is_number() && std::isfinite(value.get<double>()) && value.get<double>() >= low)
            return value.get<double>();
        complain(name, std::isinf(low) ? "is no number" : fmt::format("is no number from {} up", low));
        return 0;
    }
    std::uint64_t count(const char* name, std::uint64_t high = UINT64_MAX) const {
        const json& value = field(name);
        const bool whole = value.is_number_integer() && (value.is_number_unsigned() || value.get<std::int64_t>() >= 0);
        if (whole && value.get<std::uint64_t>() <= high)
            return value.get<std::uint64_t>();
        complain(name, fmt::format("is no whole number from 0 to {}", high));
        return 0;
    }
    std::uint32_t cpu(const char* name) const { return static_cast<std::uint32_t>(count(name, UINT32_MAX)); }
    std::string text(const char* name) const {
        const json& value = field(name);
        if (value.is_string())
            return value.get<std::string>();
        complain(name, "is no text");
        return {};
    }
    bool truth(const char* name) const {
        const json& value = field(name);
        if (!value.is_boolean())
            complain(name, "is neither true nor false");
        return value.is_boolean() && value.get<bool>();
    }
    bool absent(const char* name) const { return field(name).is_null(); }
    Object object(const char* name) const { return {field(name), at_ + "/" + name, wrong_}; }
    template <typename F> void each(const char* name, F take) const {
        const json& rows = field(name);
        if (!rows.is_array())
            return complain(name, "is no array");
        for (std::size_t i = 0; i < rows.size() && wrong_.empty(); ++i)
            take(Object(rows[i], fmt::format("{}/{}/{}", at_, name, i), wrong_));
    }
    void complain(const char* name, const std::string& what) const {
        if (wrong_.empty())
            wrong_ = at_ + (*name == '\0' ? "" : "/" + std::string(name)) + " " + what;
    }
    Border border() const {
        const auto name = text("border");
        if (const auto found = border_named(name))
            return *found;
        complain("border", "is none that is known");
        return Border::same_core;
    }
    LineState state(const char* name) const {
        const auto word = text(name);
        for (std::size_t i = 0; i < line_state_count; ++i)
            if (word == to_string(static_cast<LineState>(i)))
                return static_cast<LineState>(i);
        complain(name, "is none that is known");
        return LineState::own;
    }
    Spread spread(const char* name) const {
        const Object s = object(name);
        const Spread out{s.number("min"), s.number("p10"), s.number("p50"), s.number("p90"), s.number("p99")};
        if (out.min > out.p10 || out.p10 > out.p50 || out.p50 > out.p90 || out.p90 > out.p99)
            complain(name, "does not grow from min to p99");
        return out;
    }

  private:
    const json& field(const char* name) const {
        static const json missing = json::value_t::discarded;
        if (!in_.is_object())
            return missing;
        const auto found = in_.find(name);
        if (found == in_.end())
            complain(name, "is missing");
        return found == in_.end() ? missing : *found;
    }

    const json& in_;
    std::string at_;
    std::string& wrong_;
};

Cpu read_cpu(const Object& in) {
    Cpu cpu;
    cpu.cpu = in.cpu("cpu");
    cpu.core = in.cpu("core");
    if (!in.absent("llc"))
        cpu.llc = in.cpu("llc");
    cpu.node = in.cpu("node");
    cpu.socket = in.cpu("socket");
    return cpu;
}

CorePair read_pair(const Object& in) {
    CorePair pair;
    pair.a = in.cpu("cpu_a");
    pair.b = in.cpu("cpu_b");
    if (pair.a >= pair.b)
        in.complain("cpu_b", "is not greater than cpu_a");
    pair.border = in.border();
    pair.rounds = in.count("rounds");
    pair.rounds_lost = in.count("rounds_lost");
    if (pair.rounds == 0)
        return pair;
    pair.one_way_cycles = in.spread("one_way_cycles");
    if (!(pair.one_way_cycles.min >= 0))
        in.complain("one_way_cycles", "is negative");
    pair.counter_offset_cycles = in.number("counter_offset_cycles");
    pair.counter_offset_bound = in.number("counter_offset_bound_cycles");
    return pair;
}

void read_host(const Object& in, Host& host) {
    host.name = in.text("name");
    host.kernel = in.text("kernel");
    host.cpu_model = in.text("cpu_model");
    host.arch = in.text("arch");
    if (!in.absent("hypervisor"))
        host.hypervisor = in.text("hypervisor");
}

LoadThreshold read_threshold(const Object& in) {
    LoadThreshold out;
    out.cycles = in.number("cycles");
    out.low_cycles = in.number("low_cycles");
    out.high_cycles = in.number("high_cycles");
    out.slow_loads = in.count("slow_loads");
    out.missed = in.count("missed", out.slow_loads);
    out.fast_loads = in.count("fast_loads");
    out.false_slow = in.count("false_slow", out.fast_loads);
    return out;
}

// Pairs that name CPUs which the file does not, or one twice.
void check_pairs(const Object& in, const CoreLatencies& out) {
    std::unordered_set<std::uint64_t> cpus;
    for (const Cpu& cpu : out.host.cpus)
        if (!cpus.insert(cpu.cpu).second)
            in.complain("cpus", fmt::format("names CPU {} twice", cpu.cpu));
    std::unordered_set<std::uint64_t> pairs;
    for (const CorePair& pair : out.pairs) {
        if (!cpus.contains(pair.a) || !cpus.contains(pair.b))
            in.complain("pairs", fmt::format("has CPUs {} and {}, and cpus does not", pair.a, pair.b));
        if (!pairs.insert(std::uint64_t{pair.a} << 32U | pair.b).second)
            in.complain("pairs", fmt::format("has CPUs {} and {} twice", pair.a, pair.b));
    }
}

void read_all(const Object& in, CoreLatencies& out) {
    if (in.count("schema_version") != core_latency_schema_version)
        in.complain("schema_version",
                    fmt::format("is not {}, which this snapscope reads", core_latency_schema_version));
    const auto origin = in.text("origin");
    if (origin != "measured" && origin != "synthetic")
        in.complain("origin", "is neither measured nor synthetic");
    out.synthetic = origin == "synthetic";
    out.tool_version = in.object("tool").text("version");
    read_host(in.object("host"), out.host);
    in.each("cpus", [&](const Object& row) { out.host.cpus.push_back(read_cpu(row)); });
    const Object clock = in.object("clock");
    out.counter = clock.text("counter");
    out.cycles_per_ns = clock.number("cycles_per_ns", 1e-6);
    out.pairs_possible = in.count("pairs_possible");
    in.each("pairs", [&](const Object& row) { out.pairs.push_back(read_pair(row)); });
    check_pairs(in, out);
    out.borders = border_costs(out.pairs);
    in.each("loads", [&](const Object& row) {
        out.loads.push_back({row.border(), row.state("state"), row.count("loads"), row.spread("cycles")});
    });
    if (!in.absent("threshold"))
        out.threshold = read_threshold(in.object("threshold"));
    in.each("separable", [&](const Object& row) {
        out.separable.push_back({row.border(), row.state("fast"), row.state("slow"), row.number("error_rate", 0)});
    });
}

} // namespace

Result<CoreLatencies> core_latencies_from_json(const json& in) {
    CoreLatencies out;
    std::string wrong;
    read_all(Object(in, "", wrong), out);
    if (!wrong.empty())
        return fail(wrong);
    return out;
}

Result<CoreLatencies> read_core_latencies(const std::filesystem::path& file) {
    const auto bytes = read_file(file, max_file_bytes);
    if (!bytes)
        return fail(bytes.error());
    const auto parsed = parse_json(*bytes, file.string());
    if (!parsed)
        return fail(parsed.error());
    auto out = core_latencies_from_json(*parsed);
    if (!out)
        return fail(fmt::format("{}: {}", file.string(), out.error().what), "give a file of snapscope calibrate -o");
    return out;
}

} // namespace snapscope
