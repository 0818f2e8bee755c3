#include "assets.hpp"
#include "run_sections.hpp"

#include <snapscope/dashboards/live.hpp>

namespace snapscope {
namespace {

void write_sections(Page& page, const LiveContents& contents) {
    const Summary summary = summarize(contents.figures);
    write_run(page, {contents.figures, contents.series, summary, contents.label, "r1-", true, contents.drawn_from});
}

Frame live_frame(const std::string& tool) {
    Frame frame;
    frame.title = "snapscope live";
    frame.tool = tool;
    frame.mark = "live";
    frame.footer = "Served by " + tool + ". Nothing is loaded from anywhere else.";
    frame.script = assets::live_script;
    frame.policy_of_script = assets::live_script_hash;
    frame.connect = "'self'";
    return frame;
}

} // namespace

nlohmann::json live_sections(const LiveContents& contents) {
    Page page;
    write_sections(page, contents);
    return {{"html", page.html.str()}, {"views", std::move(page.views)}, {"arrays", base64(page.pack.bytes())}};
}

std::string live_page(const std::optional<LiveContents>& contents, const nlohmann::json& state,
                      const std::string& tool) {
    Page page;
    page.html.leaf("h1", "What this server says about snapshots now");
    {
        const auto plain = page.html.element("noscript");
        page.html.leaf("p", "Without scripts this is one look at the server: reload the page for another.");
    }
    {
        const auto run = page.html.element("div", {{"id", "run"}});
        if (contents)
            write_sections(page, *contents);
        else
            page.html.leaf("p", "Nothing has been seen yet.", {{"class", "faint"}});
    }
    Frame frame = live_frame(tool);
    frame.state = state;
    return finish_page(std::move(page), frame);
}

const std::string& live_policy() {
    static const std::string policy = policy_of(live_frame("")) + "; frame-ancestors 'none'";
    return policy;
}

} // namespace snapscope
