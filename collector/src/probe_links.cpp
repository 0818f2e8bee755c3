#include "probe_links.hpp"

#include "sheltered.hpp"

#include <cerrno>

namespace snapscope {

Status ProbeLinks::keep(const std::string& what, bpf_link* link, int error) {
    if (link == nullptr)
        return fail(bpf_error("cannot attach to " + what, error));
    links_.emplace_back(link);
    return {};
}

Status ProbeLinks::add(const std::string& what, const std::function<bpf_link*()>& attach) {
    bpf_link* link = nullptr;
    int error = 0;
    SNAPSCOPE_TRY(run_sheltered([&] {
        link = attach();
        error = errno;
    }));
    return keep(what, link, error);
}

Status ProbeLinks::add_own(const std::string& what, const std::function<bpf_link*()>& attach) {
    bpf_link* link = attach();
    return keep(what, link, errno);
}

void ProbeLinks::clear() {
    if (links_.empty())
        return;
    (void)run_sheltered([&] { links_.clear(); });
    links_.clear(); // where that could not be: they have to go all the same
}

} // namespace snapscope
