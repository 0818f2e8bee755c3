#include "attach.hpp"
#include "ebpf_source.hpp"
#include "hitm_source.hpp"
#include "host_probes.hpp"
#include "mirror_source.hpp"
#include "pcm_source.hpp"
#include "sched_source.hpp"
#include "sql_source.hpp"
#include "topology.hpp"
#include "watch_source.hpp"

#include <snapscope/collector/doctor.hpp>

#include <functional>

namespace snapscope {
namespace {

SourceStatus row(const std::string& name, const Status& works, const std::string& note = {},
                 const std::string& note_hint = {}) {
    SourceStatus status;
    status.name = name;
    status.kind = kind_of(name);
    status.state = works ? SourceState::available : SourceState::unavailable;
    status.reason = works ? note : works.error().what;
    status.hint = works ? note_hint : works.error().hint;
    return status;
}

SourceStatus row_of(const std::string& name, const Result<std::string>& works) {
    return works ? row(name, Status{}, *works) : row(name, fail(works.error()));
}

Status probe_ring(const Site& site) {
    if (!site.memory)
        return fail(*site.memory_error);
    if (const auto holder = site.memory->holder())
        return fail(Error{ErrorClass::unavailable,
                          "another collector records this server (pid " + std::to_string(*holder) + ")",
                          "wait for it or end it"});
    return {};
}

// The session that proves the last fields takes xids, so it comes with a recording only.
SourceStatus probe_mirror(const Site& site) {
    const auto found = MirrorSource::examine(site.proc, site.postmaster);
    if (!found)
        return row("mirror", fail(found.error()));
    const auto mapping = mirror::SharedMapping::probe(*found->image, found->anatomy);
    return row("mirror", Status{}, found->layout_note() + "; " + (mapping ? "--map is possible" : mapping.error().what),
               mapping ? "" : mapping.error().hint);
}

SourceStatus probe_ebpf(const Site& site) {
    const auto works = EbpfSource::probe(site.proc, site.postmaster.pid);
    const auto others = same_binary(site.proc, site.postmaster.pid);
    if (works && !others.empty()) {
        const auto consent = same_binary_error(others);
        return row("ebpf", Status{}, *works + (works->empty() ? "" : "; ") + consent.what, consent.hint);
    }
    return row_of("ebpf", works);
}

SourceStatus probe_sched(const Site& site) {
    const auto trace = probe_sched_trace(site.postmaster.pid);
    if (trace)
        return row("sched", trace);
    return row("sched", Status{}, "by sampling only: " + trace.error().what, trace.error().hint);
}

SourceStatus probe_sql(Site& site, const TargetSpec& spec) {
    auto login = SqlSource::attach(site.proc, site.postmaster, spec);
    if (!login)
        return row("sql", fail(login.error()));
    (*login)->describe(site.server);
    return row("sql", Status{});
}

// Loads can be timed where the host allows it; the server's lines are out of reach yet.
Status probe_linetimer() {
    SNAPSCOPE_TRY(probe_load_timing());
    const auto topology = topology_of_host();
    if (!topology)
        return fail(topology.error());
    SNAPSCOPE_TRY(check_two_cpus(allowed_cpus(*topology).size()));
    return fail("not in this version: the lines of the server's proc array cannot be mapped yet (source mirror), and "
                "the memory file of a patched server holds counters, not the array",
                "this host can time single loads: snapscope calibrate says what they tell");
}

SourceStatus watch_without_server(const Error& none) {
    const auto host = probe_watchpoint();
    return row("watch", fail(host ? none : host.error()));
}

void look_at_server(Diagnosis& diagnosis, const ProcFs& proc, const TargetSpec& spec, SourceStatus& watch) {
    Site site = look_at(proc, *diagnosis.target);
    diagnosis.sources = {row("ring", probe_ring(site)), probe_mirror(site), probe_ebpf(site), probe_sched(site),
                         probe_sql(site, spec)};
    watch = row_of("watch", probe_watch(proc, site.postmaster.pid, site.memory ? &*site.memory : nullptr));
    diagnosis.server = std::move(site.server);
}

} // namespace

Result<Diagnosis> diagnose(const TargetSpec& spec) {
    SNAPSCOPE_TRY(check_target(spec));
    const ProcFs proc;
    Diagnosis diagnosis;
    diagnosis.limits = kernel_limits(kernel_facts());
    SourceStatus watch; // stands below the server's
    const bool named = spec.pid || spec.pgdata || spec.port || spec.host;
    if (named || !find_postmasters(proc).empty()) {
        auto target = find_target(proc, spec);
        if (!target)
            return fail(target.error());
        diagnosis.target = std::move(*target);
        look_at_server(diagnosis, proc, spec, watch);
    } else {
        auto none = no_server(proc);
        if (none.hint.empty())
            none.hint = "start one";
        for (const char* name : {"ring", "mirror", "ebpf", "sched", "sql"})
            diagnosis.sources.push_back(row(name, fail(none)));
        watch = watch_without_server(none);
    }
    diagnosis.sources.push_back(row_of("hitm", probe_hitm()));
    diagnosis.sources.push_back(row_of("pcm", probe_pcm()));
    diagnosis.sources.push_back(watch);
    diagnosis.sources.push_back(row("linetimer", probe_linetimer()));
    return diagnosis;
}

} // namespace snapscope
