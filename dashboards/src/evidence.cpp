#include "evidence.hpp"

#include <snapscope/analyzer/metrics.hpp>
#include <snapscope/recording/run_folder.hpp>

#include <array>

namespace snapscope {
namespace {

struct Shape {
    std::optional<EvidenceKind> kind;
    const char* markup;
    const char* says;
};

const std::array shapes{
    Shape{EvidenceKind::counted, R"(<rect x="2.5" y="2.5" width="11" height="11"/>)",
          "the server, the kernel or a debug register counted every event"},
    Shape{EvidenceKind::sampled, R"(<circle cx="8" cy="8" r="5.5" class="hollow"/><circle cx="8" cy="8" r="2"/>)",
          "read at intervals"},
    Shape{EvidenceKind::measured, R"(<path d="M8 1 15 8 8 15 1 8Z"/>)", "hardware saw transfers"},
    Shape{EvidenceKind::inferred, R"(<path d="M8 2.5 14 13.5H2Z" class="hollow"/>)",
          "timing of loads, with a calibrated threshold"},
    Shape{EvidenceKind::emulated, R"(<path d="M4.5 2.5h7L15 8l-3.5 5.5h-7L1 8Z" class="hollow"/>)",
          "the real server binary on an emulated machine: accesses exact, no times"},
    Shape{EvidenceKind::modelled, R"(<path d="M3 3 13 13M13 3 3 13" class="hollow"/>)",
          "a coherence model fed with counted events"},
    Shape{std::nullopt, R"(<circle cx="8" cy="8" r="5.5"/>)", "what the load or a file says of itself"},
};

std::string shape_id(const std::optional<EvidenceKind>& kind) {
    return "kind-" + kind_word(kind);
}

// Why this source gave no such number.
void write_reason(Html& html, const Run& run, std::string_view name) {
    const auto item = html.element("li");
    html.leaf("b", name);
    const SourceStatus* source = find_source(run, name);
    if (source == nullptr) {
        html.text(" was not asked for; ").leaf("code", "snapscope record --source " + std::string(name));
        return;
    }
    if (source->state == SourceState::active) {
        html.text(" was active; it does not tell this of this server, mode or recording");
        return;
    }
    html.text(": ").isolated(source->reason);
    if (!source->hint.empty())
        html.text("; ").isolated(source->hint);
}

} // namespace

Evidence evidence_of(const std::vector<SourceStatus>& sources, const std::string& source) {
    for (const SourceStatus& row : sources)
        if (row.name == source)
            return {source, row.kind};
    return {source, std::nullopt};
}

std::string kind_word(const std::optional<EvidenceKind>& kind) {
    return kind ? to_string(*kind) : "stated";
}

std::string evidence_text(const Evidence& evidence) {
    return kind_word(evidence.kind) + " by " + evidence.source;
}

void write_evidence_shapes(Html& html) {
    const auto svg =
        html.element("svg", {{"class", "unseen"}, {"aria-hidden", "true"}, {"width", "0"}, {"height", "0"}});
    for (const Shape& shape : shapes) {
        const auto symbol = html.element("symbol", {{"id", shape_id(shape.kind)}, {"viewBox", "0 0 16 16"}});
        html.raw(shape.markup);
    }
}

void write_glyph(Html& html, const std::optional<EvidenceKind>& kind) {
    const auto svg = html.element("svg", {{"class", "glyph"}, {"aria-hidden", "true"}, {"viewBox", "0 0 16 16"}});
    html.single("use", {{"href", "#" + shape_id(kind)}});
}

void write_evidence(Html& html, const Evidence& evidence) {
    const auto tag = html.element("span", {{"class", "evidence"}});
    write_glyph(html, evidence.kind);
    html.isolated(evidence_text(evidence));
}

void write_evidence_legend(Html& html) {
    const auto aside = html.element("details", {{"class", "kinds"}, {"open", ""}});
    html.leaf("summary", "Kinds of evidence: what a shape beside a number says");
    const auto list = html.element("dl");
    for (const Shape& shape : shapes) {
        const auto row = html.element("div");
        {
            const auto term = html.element("dt");
            write_glyph(html, shape.kind);
            html.text(kind_word(shape.kind));
        }
        html.leaf("dd", shape.says);
    }
    const auto row = html.element("div");
    {
        const auto term = html.element("dt");
        html.leaf("span", "", {{"class", "glyph hatch"}}).text("unavailable");
    }
    html.leaf("dd", "nobody could tell: the cell says why and what to do; it is never zero");
}

void write_absent(Html& html, const Run& run, std::string_view what, std::span<const std::string_view> from) {
    const auto box = html.element("div", {{"class", "absent"}});
    {
        const auto line = html.element("p");
        html.leaf("b", "unavailable").text(": ").text(what);
    }
    const auto list = html.element("ul");
    for (const std::string_view name : from)
        write_reason(html, run, name);
}

} // namespace snapscope
