// The kind of evidence of a number, in words and in shape, and what stands
// where there is no number.  Colour never says it alone.
#pragma once

#include "html.hpp"

#include <snapscope/recording/run.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace snapscope {

// Who says a number.  No kind: the load itself (pgbench), or a file.
struct Evidence {
    std::string source;
    std::optional<EvidenceKind> kind;
};

[[nodiscard]] Evidence evidence_of(const std::vector<SourceStatus>& sources, const std::string& source);

// "counted", or "stated" for what has no kind.
[[nodiscard]] std::string kind_word(const std::optional<EvidenceKind>& kind);
// "counted by ring"
[[nodiscard]] std::string evidence_text(const Evidence& evidence);

// The shapes, once a page; every glyph refers to them.
void write_evidence_shapes(Html& html);
// The shape of a kind, hidden from readers of text.
void write_glyph(Html& html, const std::optional<EvidenceKind>& kind);
// The shape and the words.
void write_evidence(Html& html, const Evidence& evidence);
// What each kind says.
void write_evidence_legend(Html& html);

// The cell that stands for what nobody could tell: why not, for each source
// that could have, and what to do about it.
void write_absent(Html& html, const Run& run, std::string_view what, std::span<const std::string_view> from);

} // namespace snapscope
