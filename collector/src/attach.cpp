#include "attach.hpp"

#include "ebpf_source.hpp"
#include "hitm_source.hpp"
#include "mirror_source.hpp"
#include "pcm_source.hpp"
#include "ring_source.hpp"
#include "sched_source.hpp"
#include "sql_source.hpp"
#include "watch_source.hpp"

#include <snapscope/base/text.hpp>
#include <snapscope/collector/binary.hpp>

#include <algorithm>

namespace snapscope {
namespace {

SourceStatus unavailable(const std::string& name, EvidenceKind kind, const Error& error) {
    SourceStatus status;
    status.name = name;
    status.kind = kind;
    status.state = SourceState::unavailable;
    status.reason = error.what;
    status.hint = error.hint;
    return status;
}

// Sources that take part unless others are named; `watch` traps on accesses of data and wants to be asked for.
const std::vector<std::string> recorded{"ring", "mirror", "ebpf", "sched", "sql"};

class Attacher {
  public:
    Attacher(const RecordOptions& options, Site& site) : options_(options), site_(site) {}

    Result<Attached> run() {
        auto names = options_.sources.empty() ? recorded : options_.sources;
        if (!options_.watch.empty() && options_.sources.empty())
            names.emplace_back("watch");
        for (const auto& name : names) {
            auto source = attach(name);
            if (source) {
                attached_.sources.push_back(std::move(*source));
                continue;
            }
            if (source.error().error_class != ErrorClass::unavailable)
                return fail(source.error());
            attached_.unavailable.push_back(unavailable(name, kind_of(name), source.error()));
            attached_.missing_requested |= !options_.sources.empty() || name == "watch";
        }
        return std::move(attached_);
    }

  private:
    Result<std::unique_ptr<Source>> attach(const std::string& name) {
        if (name == "ring")
            return attach_ring();
        if (name == "mirror")
            return attach_mirror();
        if (name == "ebpf")
            return attach_ebpf();
        if (name == "sched")
            return attach_sched();
        if (name == "sql")
            return attach_sql();
        if (name == "watch")
            return attach_watchpoints();
        if (name == "hitm")
            return attach_hitm(site_.proc, site_.postmaster, site_.memory ? &*site_.memory : nullptr);
        if (name == "pcm")
            return attach_pcm(options_.interval);
        return fail(Error{ErrorClass::unavailable, "not in this version", ""});
    }

    Result<std::unique_ptr<Source>> attach_ring() {
        if (!site_.memory)
            return fail(Error{ErrorClass::unavailable, site_.memory_error->what, site_.memory_error->hint});
        auto ring = RingSource::attach(*site_.memory, options_.events);
        if (!ring)
            return fail(ring.error());
        if ((*ring)->events() != nullptr)
            attached_.feeds.push_back((*ring)->events());
        return std::move(*ring);
    }

    Result<std::unique_ptr<Source>> attach_mirror() {
        mirror::SamplerOptions how;
        how.rate_hz = options_.mirror_hz;
        how.map = options_.map;
        auto source = MirrorSource::attach(site_.proc, site_.postmaster, options_.target, how);
        if (!source)
            return fail(source.error());
        return std::move(*source);
    }

    Result<std::unique_ptr<Source>> attach_ebpf() {
        SNAPSCOPE_TRY(EbpfSource::check(site_.proc, site_.postmaster.pid));
        const auto others = same_binary(site_.proc, site_.postmaster.pid);
        if (!others.empty() && !options_.yes)
            return fail(same_binary_error(others));
        EbpfOptions how;
        how.events = options_.events;
        how.overhead = options_.overhead;
        how.note = options_.note;
        if (site_.memory) {
            how.slots = site_.memory->header().slots;
            how.mode = site_.memory->header().mode;
        }
        auto source = EbpfSource::attach(site_.proc, site_.postmaster.pid, how);
        if (!source)
            return fail(source.error());
        if ((*source)->events() != nullptr)
            attached_.feeds.push_back((*source)->events());
        return std::move(*source);
    }

    Result<std::unique_ptr<Source>> attach_watchpoints() {
        WatchOptions how{options_.overhead, options_.note};
        if (!options_.watch.empty()) {
            auto words = parse_watched_words(options_.watch);
            if (!words)
                return fail(words.error());
            how.words = std::move(*words);
        }
        return attach_watch(site_.proc, site_.postmaster.pid, site_.memory ? &*site_.memory : nullptr, how);
    }

    Result<std::unique_ptr<Source>> attach_sched() {
        auto source = trace_sched(site_.postmaster.pid, site_.memory ? &*site_.memory : nullptr);
        if (source)
            return source;
        return sample_sched(site_.proc, site_.postmaster.pid, source.error());
    }

    Result<std::unique_ptr<Source>> attach_sql() {
        auto source = SqlSource::attach(site_.proc, site_.postmaster, options_.target);
        if (!source)
            return fail(source.error());
        (*source)->describe(site_.server);
        (*source)->settle();
        return std::move(*source);
    }

    const RecordOptions& options_;
    Site& site_;
    Attached attached_;
};

// Without counters or a readable binary, the data folder still knows the major version.
std::string major_version(const ProcFs& proc, pid_t pid) {
    const auto text = read_text(proc.path(pid, "cwd/PG_VERSION"));
    return text ? std::string(trim(*text)) : std::string("unknown");
}

} // namespace

EvidenceKind kind_of(const std::string& name) {
    if (name == "mirror")
        return EvidenceKind::sampled;
    if (name == "hitm" || name == "pcm")
        return EvidenceKind::measured;
    return name == "linetimer" ? EvidenceKind::inferred : EvidenceKind::counted;
}

Error same_binary_error(const std::vector<Postmaster>& others) {
    std::string list;
    for (const auto& other : others)
        list += (list.empty() ? "" : " | ") + other.describe();
    return {ErrorClass::unavailable, "the probes would also slow other servers that run this binary: " + list,
            "add --yes to accept that"};
}

const std::vector<std::string>& source_names() {
    static const std::vector<std::string> names{"ring", "mirror", "ebpf",  "sched",    "sql",
                                                "hitm", "pcm",    "watch", "linetimer"};
    return names;
}

Result<Attached> attach_sources(const RecordOptions& options, Site& site) {
    return Attacher(options, site).run();
}

Site look_at(const ProcFs& proc, const Postmaster& postmaster) {
    Site site;
    site.proc = proc;
    site.postmaster = postmaster;
    Server& server = site.server;
    server.pid = static_cast<std::uint32_t>(postmaster.pid);
    if (!postmaster.pgdata.empty())
        server.pgdata = postmaster.pgdata;
    server.port = postmaster.port;
    if (const auto binary = read_binary(proc.path(postmaster.pid, "exe"))) {
        server.build_id = binary->build_id;
        server.version = binary->version.value_or("");
    }
    if (auto memory = MemoryFile::open(proc, postmaster.pid)) {
        const auto& header = memory->header();
        server.version_num = header.server_version;
        server.version = version_text(header.server_version);
        server.snapshot_cache = mode_name(header.mode);
        server.max_connections = header.max_connections;
        site.memory = std::move(*memory);
    } else {
        site.memory_error = memory.error();
    }
    if (server.version.empty())
        server.version = major_version(proc, postmaster.pid);
    return site;
}

} // namespace snapscope
