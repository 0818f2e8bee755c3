// HTML written so that it is well-formed by construction: every element is
// closed where its owner ends, and every text and attribute is escaped.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace snapscope {

// Text from anywhere, fit to stand between tags and in a quoted attribute.
// What is no UTF-8 becomes U+FFFD; characters that steer instead of saying
// something (controls, bidirectional overrides) become visible: \u{202E}.
[[nodiscard]] std::string escape_html(std::string_view text);

class Html {
  public:
    using Attribute = std::pair<std::string_view, std::string>;
    using Attributes = std::initializer_list<Attribute>;

    // Closes its element.
    class Element {
      public:
        Element(const Element&) = delete;
        Element& operator=(const Element&) = delete;
        Element(Element&&) = delete;
        Element& operator=(Element&&) = delete;
        ~Element();

      private:
        friend class Html;
        Element(Html& html, std::string_view name) : html_(html), name_(name) {}
        Html& html_;
        std::string name_;
    };

    // An attribute with an empty value is written without one (`open`, `hidden`).
    [[nodiscard]] Element element(std::string_view name, Attributes attributes = {});
    // An element that holds text alone.
    Html& leaf(std::string_view name, std::string_view text, Attributes attributes = {});
    // An element that has no end tag (meta), or an empty one of SVG.
    Html& single(std::string_view name, Attributes attributes);
    Html& text(std::string_view text);
    // Text whose direction must not reach beyond it.
    Html& isolated(std::string_view text) { return leaf("bdi", text); }
    // Already HTML; only what this program itself holds.
    Html& raw(std::string_view markup);
    [[nodiscard]] const std::string& str() const { return out_; }

  private:
    void open(std::string_view name, Attributes attributes);
    std::string out_;
};

} // namespace snapscope
