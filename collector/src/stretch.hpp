// What is attached to one life of a server: from the beginning of a recording, or
// the end of a gap, to where the server goes away.
#pragma once

#include "attach.hpp"
#include "server_watch.hpp"

#include <memory>

namespace snapscope {

struct Stretch {
    // Not moved: sources look at SITE.
    [[nodiscard]] static Result<std::unique_ptr<Stretch>> open(const RecordOptions& options, const ProcFs& proc,
                                                               const Postmaster& postmaster) {
        auto server = ServerWatch::start(proc, postmaster.pid);
        if (!server)
            return fail(server.error());
        auto stretch = std::make_unique<Stretch>(Stretch{std::move(*server), look_at(proc, postmaster), {}});
        auto attached = attach_sources(options, stretch->site);
        if (!attached)
            return fail(attached.error());
        stretch->attached = std::move(*attached);
        return stretch;
    }

    ServerWatch server;
    Site site;
    Attached attached;
};

} // namespace snapscope
