#include "page.hpp"

#include "assets.hpp"
#include "evidence.hpp"

#include <fmt/format.h>

namespace snapscope {
namespace {

void write_head(Html& html, const Frame& frame) {
    const auto head = html.element("head");
    html.single("meta", {{"charset", "utf-8"}});
    html.single("meta", {{"http-equiv", "Content-Security-Policy"}, {"content", policy_of(frame)}});
    html.single("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
    html.single("meta", {{"name", "color-scheme"}, {"content", "light dark"}});
    html.single("meta", {{"name", "referrer"}, {"content", "no-referrer"}});
    html.single("meta", {{"name", "generator"}, {"content", frame.tool}});
    html.leaf("title", frame.title);
    const auto style = html.element("style");
    html.raw(assets::style);
}

void write_bar(Html& html, const Frame& frame) {
    const auto header = html.element("header", {{"class", "bar"}});
    html.leaf("span", "snapscope", {{"class", "mark"}});
    html.leaf("span", frame.mark, {{"class", "faint"}});
    html.leaf("span", "", {{"class", "tools"}, {"id", "tools"}});
}

void write_data(Html& html, const Page& page, const Frame& frame) {
    if (!frame.state.is_null())
        html.raw("<script type=\"application/json\" id=\"state\">").raw(script_json(frame.state)).raw("</script>");
    html.raw("<script type=\"application/json\" id=\"views\">")
        .raw(script_json(page.views))
        .raw("</script><script type=\"application/base64\" id=\"arrays\">")
        .raw(base64(page.pack.bytes()))
        .raw("</script>");
}

} // namespace

Frame report_frame(std::string title, std::string tool) {
    Frame frame;
    frame.title = std::move(title);
    frame.footer = "Written by " + tool + ". This file needs nothing beside itself and sends nothing anywhere.";
    frame.tool = std::move(tool);
    frame.mark = "report";
    frame.script = assets::script;
    frame.policy_of_script = assets::script_hash;
    return frame;
}

std::string policy_of(const Frame& frame) {
    return fmt::format("default-src 'none'; script-src '{}'; style-src '{}';{} base-uri 'none'; form-action 'none'",
                       frame.policy_of_script, assets::style_hash,
                       frame.connect.empty() ? "" : " connect-src " + frame.connect + ";");
}

std::string Page::add_view(nlohmann::json view) {
    views.push_back(std::move(view));
    return std::to_string(views.size() - 1);
}

Section::Section(Page& page, const std::string& id, std::string_view title, std::string_view question)
    : element_(page.html.element("section", {{"id", id}, {"class", "view"}, {"aria-labelledby", id + "-title"}})) {
    page.html.leaf("h3", title, {{"id", id + "-title"}});
    page.html.leaf("p", question, {{"class", "question"}});
}

TableWriter::TableWriter(Html& html, std::string_view caption, const std::vector<std::string>& columns)
    : html_(html),
      box_(html.element(
          "div", {{"class", "scroll"}, {"role", "region"}, {"tabindex", "0"}, {"aria-label", std::string(caption)}})),
      table_(html.element("table")) {
    html.leaf("caption", caption);
    const auto head = html.element("thead");
    const auto row = html.element("tr");
    for (const std::string& column : columns) {
        numeric_.push_back(column.starts_with('#'));
        html.leaf("th", numeric_.back() ? column.substr(1) : column,
                  {{"scope", "col"}, {"class", numeric_.back() ? "n" : "t"}});
    }
}

void TableWriter::row(const std::vector<std::string>& cells) {
    const auto row = html_.element("tr");
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const bool heading = i == 0;
        const auto cell = heading ? html_.element("th", {{"scope", "row"}})
                                  : html_.element("td", {{"class", numeric_[i] ? "n" : "t"}});
        html_.isolated(cells[i]);
    }
}

Folded::Folded(Html& html, std::string_view summary) : element_(html.element("details", {{"open", ""}})) {
    html.leaf("summary", summary);
}

std::string finish_page(Page page, const Frame& frame) {
    Html html;
    html.raw("<!DOCTYPE html>\n");
    {
        const auto root = html.element("html", {{"lang", "en"}});
        write_head(html, frame);
        const auto body = html.element("body");
        write_evidence_shapes(html);
        write_bar(html, frame);
        {
            const auto main = html.element("main");
            html.raw(page.html.str());
        }
        {
            const auto footer = html.element("footer");
            html.text(frame.footer);
        }
        html.leaf("div", "", {{"id", "said"}, {"class", "unseen"}, {"aria-live", "polite"}});
        write_data(html, page, frame);
        html.raw("<script>").raw(frame.script).raw("</script>");
    }
    html.raw("\n");
    return html.str();
}

} // namespace snapscope
