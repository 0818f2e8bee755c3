#include "run_check.hpp"
#include "run_fields.hpp"

#include <snapscope/base/text.hpp>
#include <snapscope/recording/run_folder.hpp>

#include <cmath>
#include <concepts>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

namespace snapscope {
namespace run_json {
namespace {

using nlohmann::json;

// Writing ------------------------------------------------------------------

json encode(bool value) {
    return value;
}
json encode(double value) {
    return std::isfinite(value) ? json(value) : json(nullptr);
}
json encode(const std::string& value) {
    return to_utf8(value);
}
json encode(EvidenceKind value) {
    return to_string(value);
}
json encode(SourceState value) {
    return to_string(value);
}
template <std::integral T> json encode(T value) {
    return value;
}
template <class T> json encode(const std::optional<T>& value);
template <class T> json encode(const std::vector<T>& values);
template <HasFields T> json encode(const T& value);

template <class Codec, class T> json encode_as(const T& value) {
    if constexpr (std::is_same_v<Codec, HexAddress>)
        return fmt::format("{:#x}", value);
    else
        return encode(value);
}

template <class T> json encode(const std::optional<T>& value) {
    return value ? encode(*value) : json(nullptr);
}

template <class T> json encode(const std::vector<T>& values) {
    json out = json::array();
    out.get_ref<json::array_t&>().reserve(values.size());
    for (const T& value : values)
        out.push_back(encode(value));
    return out;
}

template <HasFields T> json encode(const T& value) {
    json out = json::object();
    const auto put = [&]<class M, class Codec>(const Field<T, M, Codec>& item) {
        out[item.name] = encode_as<Codec>(value.*item.member);
    };
    std::apply([&](const auto&... items) { (put(items), ...); }, fields<T>);
    return out;
}

// Reading ------------------------------------------------------------------

Check expected(const std::string& what, const json& in) {
    constexpr std::size_t shown = 60;
    std::string text = in.is_structured() ? in.type_name() : in.dump(-1, ' ', true, json::error_handler_t::replace);
    if (text.size() > shown)
        text = text.substr(0, shown) + "...";
    return problem(fmt::format("expected {}, got {}", what, text));
}

Check decode(const json& in, bool& out) {
    if (!in.is_boolean())
        return expected("true or false", in);
    out = in.get<bool>();
    return std::nullopt;
}

Check decode(const json& in, double& out) {
    if (!in.is_number())
        return expected("a number", in);
    out = in.get<double>();
    return std::nullopt;
}

template <std::integral T> Check decode(const json& in, T& out) {
    const auto take = [&](auto value) -> Check {
        using Limits = std::numeric_limits<T>;
        if (!std::in_range<T>(value))
            return expected(fmt::format("an integer from {} to {}", Limits::min(), Limits::max()), in);
        out = static_cast<T>(value);
        return std::nullopt;
    };
    if (in.is_number_unsigned())
        return take(in.get<std::uint64_t>());
    if (in.is_number_integer())
        return take(in.get<std::int64_t>());
    return expected("an integer", in);
}

Check decode(const json& in, std::string& out) {
    if (!in.is_string())
        return expected("a string", in);
    out = in.get_ref<const std::string&>();
    return std::nullopt;
}

template <std::size_t N>
Check decode_word(const json& in, const std::array<std::string_view, N>& words, std::size_t& index) {
    if (in.is_string()) {
        const auto& text = in.get_ref<const std::string&>();
        for (index = 0; index < N; ++index)
            if (words[index] == text)
                return std::nullopt;
    }
    std::string list;
    for (const std::string_view word : words)
        list += (list.empty() ? "one of " : ", ") + std::string(word);
    return expected(list, in);
}

template <class T, std::size_t N>
Check decode_enum(const json& in, const std::array<std::string_view, N>& words, T& out) {
    std::size_t index = 0;
    if (Check found = decode_word(in, words, index))
        return found;
    out = static_cast<T>(index);
    return std::nullopt;
}

Check decode(const json& in, EvidenceKind& out) {
    return decode_enum(in, evidence_kinds, out);
}
Check decode(const json& in, SourceState& out) {
    return decode_enum(in, source_states, out);
}

Check decode_address(const json& in, std::uint64_t& out) {
    if (in.is_string()) {
        const std::string_view text = in.get_ref<const std::string&>();
        const bool form = text.starts_with("0x") && text.size() <= 18 &&
                          text.find_first_not_of("0123456789abcdef", 2) == std::string_view::npos;
        if (const auto value = form ? parse_integer<std::uint64_t>(text.substr(2), 16) : std::nullopt) {
            out = *value;
            return std::nullopt;
        }
    }
    return expected("an address such as \"0x7f00\"", in);
}

template <class T> Check decode(const json& in, std::optional<T>& out);
template <class T> Check decode(const json& in, std::vector<T>& out);
template <HasFields T> Check decode(const json& in, T& out);

template <class Codec, class T> Check decode_as(const json& in, T& out) {
    if constexpr (std::is_same_v<Codec, HexAddress>) {
        return decode_address(in, out);
    } else if constexpr (std::is_same_v<Codec, Plain> || std::is_same_v<Codec, Later>) {
        return decode(in, out);
    } else {
        std::size_t index = 0;
        Check found;
        if constexpr (std::is_same_v<Codec, CacheMode>)
            found = decode_word(in, cache_modes, index);
        else if constexpr (std::is_same_v<Codec, GapKind>)
            found = decode_word(in, gap_kinds, index);
        else
            found = decode_word(in, levels, index);
        return found ? found : decode(in, out);
    }
}

template <class T> Check decode(const json& in, std::optional<T>& out) {
    out.reset();
    if (in.is_null())
        return std::nullopt;
    return decode(in, out.emplace());
}

template <class T> Check decode(const json& in, std::vector<T>& out) {
    if (!in.is_array())
        return expected("an array", in);
    out.clear();
    out.reserve(in.size());
    for (const json& item : in)
        if (Check found = decode(item, out.emplace_back()))
            return under(std::to_string(out.size() - 1), std::move(found));
    return std::nullopt;
}

template <HasFields T> Check decode(const json& in, T& out) {
    if (!in.is_object())
        return expected("an object", in);
    Check result;
    const auto take = [&]<class M, class Codec>(const Field<T, M, Codec>& item) {
        const auto found = in.find(item.name);
        if (std::is_same_v<Codec, Later> && found == in.end())
            return true;
        result = under(item.name, found == in.end() ? problem("missing") : decode_as<Codec>(*found, out.*item.member));
        return !result;
    };
    std::apply([&](const auto&... items) { return (take(items) && ...); }, fields<T>);
    return result;
}

Check decode_tool(const json& in, Run& out) {
    const auto tool = in.find("tool");
    if (tool == in.end() || !tool->is_object())
        return problem("expected an object");
    if (const auto name = tool->find("name"); name == tool->end() || *name != "snapscope")
        return under("name", problem("expected \"snapscope\""));
    const auto version = tool->find("version");
    return under("version", version == tool->end() ? problem("missing") : decode(*version, out.tool_version));
}

Check decode_run(const json& in, Run& out) {
    if (!in.is_object())
        return expected("an object", in);
    const auto version = in.find("schema_version");
    if (version == in.end())
        return under("schema_version", problem("missing"));
    if (!version->is_number_integer() || *version != run_schema_version)
        return under("schema_version",
                     expected(fmt::format("{}, as this snapscope writes", run_schema_version), *version));
    if (Check found = decode_tool(in, out))
        return under("tool", std::move(found));
    if (Check found = decode(in, out))
        return found;
    return check_run(out);
}

} // namespace
} // namespace run_json

nlohmann::json run_to_json(const Run& run) {
    nlohmann::json out = run_json::encode(run);
    out["schema_version"] = run_schema_version;
    out["tool"] = {{"name", "snapscope"}, {"version", to_utf8(run.tool_version)}};
    return out;
}

Result<Run> run_from_json(const nlohmann::json& json) {
    // On the heap: g++ 12 warns of an uninitialised optional on the stack.
    const auto run = std::make_unique<Run>();
    if (const run_json::Check found = run_json::decode_run(json, *run))
        return fail(fmt::format("{}: {}", found->pointer.empty() ? "/" : found->pointer, found->what));
    return std::move(*run);
}

const char* to_string(EvidenceKind kind) {
    return run_json::evidence_kinds.at(static_cast<std::size_t>(kind)).data();
}

const char* to_string(SourceState state) {
    return run_json::source_states.at(static_cast<std::size_t>(state)).data();
}

} // namespace snapscope
