#include <snapscope/analyzer/layout.hpp>
#include <snapscope/base/text.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace snapscope {
namespace {

using Json = nlohmann::ordered_json;

template <typename T> Json or_null(const std::optional<T>& value) {
    return value ? Json(*value) : Json(nullptr);
}

Json to_json(const ActiveSlots& active) {
    Json shared = Json::array();
    for (const SharedLine& line : active.shared_lines)
        shared.push_back({{"line", line.line},
                          {"slots", line.slots},
                          {"sockets", line.sockets.empty() ? Json(nullptr) : Json(line.sockets)}});
    return {{"count", active.count},
            {"lines", active.lines},
            {"first", or_null(active.first)},
            {"last", or_null(active.last)},
            {"scattered_fraction", or_null(active.scattered_fraction)},
            {"shared_lines", std::move(shared)}};
}

Json to_json(const ArrayPlace& array) {
    return {{"name", to_utf8(array.name)},
            {"address", array.address ? Json(fmt::format("{:#x}", *array.address)) : Json(nullptr)},
            {"segment_offset", or_null(array.segment_offset)},
            {"address_mod_64", array.address_mod_64},
            {"stride_bytes", array.stride_bytes},
            {"entries", array.entries},
            {"lines", array.lines},
            {"straddling_entries", array.straddling_entries},
            {"page_bytes", or_null(array.page_bytes)},
            {"pages", array.pages},
            {"numa_nodes", or_null(array.numa_nodes)}};
}

} // namespace

Json to_json(const LayoutReport& report) {
    Json arrays = Json::array();
    for (const ArrayPlace& array : report.arrays)
        arrays.push_back(to_json(array));
    Json notes = Json::array();
    for (const std::string& note : report.notes)
        notes.push_back(to_utf8(note));
    Json out{{"schema_version", 1},
             {"source", report.source},
             {"server", to_utf8(report.server)},
             {"max_connections", or_null(report.max_connections)},
             {"arrays", std::move(arrays)},
             {"active_slots", report.active ? to_json(*report.active) : Json(nullptr)},
             {"churn", nullptr},
             {"notes", std::move(notes)}};
    if (report.churn)
        out["churn"] = {{"taken", report.churn->taken},
                        {"released", report.churn->released},
                        {"before", to_json(report.churn->before)},
                        {"after", to_json(report.churn->after)}};
    return out;
}

} // namespace snapscope
