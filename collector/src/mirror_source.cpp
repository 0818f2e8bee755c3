#include "mirror_source.hpp"

#include "mirror/anatomy_checks.hpp"
#include "mirror/columns.hpp"
#include "mirror/probe_session.hpp"
#include "sql_source.hpp"

#include <snapscope/collector/header.hpp>

#include <algorithm>
#include <fmt/format.h>

namespace snapscope {
namespace {

using mirror::Counters;
using mirror::Reading;
using mirror::WindowTally;

constexpr double ns_per_s = 1e9;
constexpr double least_share_of_rate = 0.5; // below it the rate is worth a word

} // namespace

std::string MirroredServer::layout_note() const {
    const bool table = image->layout_origin() == mirror::LayoutOrigin::table;
    const auto kind = mirror::page_kind(anatomy.segment);
    return fmt::format("{} slots in {}, offsets {} and confirmed by {} checks", anatomy.slots,
                       kind ? mirror::to_string(*kind) : "unknown pages",
                       table ? fmt::format("of the table for {}", anatomy.layout.major) : "out of debug information",
                       mirror::anatomy_checks().size() + (unproven.empty() ? 1 : 0));
}

std::string MirroredServer::unproven_fields() const {
    const bool xids = anatomy.layout.all_pgxact.has_value(); // 13 has them once, so nothing to compare them with
    return std::string(xids ? "xid, " : "") + "xmin, database and wait are unproven for this build";
}

Result<MirroredServer> MirrorSource::examine(const ProcFs& proc, const Postmaster& postmaster) {
    auto image = mirror::ServerImage::open(proc, postmaster.pid);
    if (!image)
        return fail(Error{ErrorClass::unavailable, image.error().what, image.error().hint});
    MirroredServer server;
    server.image = std::make_unique<mirror::ServerImage>(std::move(*image));
    auto anatomy = server.image->locate();
    if (!anatomy)
        return fail(Error{ErrorClass::unavailable, anatomy.error().what, anatomy.error().hint});
    server.anatomy = std::move(*anatomy);
    return server;
}

Result<MirroredServer> MirrorSource::prove(const ProcFs& proc, const Postmaster& postmaster, const TargetSpec& spec) {
    auto server = examine(proc, postmaster);
    if (!server)
        return server;
    auto login = log_in(proc, postmaster, spec);
    const auto proof =
        login ? mirror::prove(server->image->memory(), server->anatomy, *login) : Status(fail(login.error()));
    if (!proof && proof.error().error_class != ErrorClass::unavailable)
        return fail(Error{ErrorClass::unavailable, proof.error().what, proof.error().hint});
    server->unproven = proof ? "" : proof.error().what;
    return server;
}

Result<std::unique_ptr<MirrorSource>> MirrorSource::attach(const ProcFs& proc, const Postmaster& postmaster,
                                                           const TargetSpec& spec, mirror::SamplerOptions options) {
    auto server = prove(proc, postmaster, spec);
    if (!server)
        return fail(server.error());
    return std::unique_ptr<MirrorSource>(new MirrorSource(std::move(*server), options));
}

MirrorSource::MirrorSource(MirroredServer server, mirror::SamplerOptions options)
    : server_(std::move(server)), options_(options), sampler_(*server_.image, server_.anatomy, options) {}

std::vector<SeriesName> MirrorSource::series() const {
    std::vector<SeriesName> names;
    for (const auto& column : mirror::columns())
        names.push_back({column.name, column.unit});
    return names;
}

void MirrorSource::start(std::int64_t now_ns) {
    start_ns_ = window_start_ns_ = now_ns;
    last_ = sampler_.take();
    sampler_.start();
}

std::vector<Value> MirrorSource::sample(std::int64_t now_ns) {
    Reading now = end_ ? *end_ : sampler_.take();
    if (end_)
        end_->window = {}; // it is handed out once
    const bool whole = last_ && last_->counters && now.counters && last_->gaps == now.gaps;
    const double seconds = static_cast<double>(now_ns - window_start_ns_) / ns_per_s;
    window_start_ns_ = now_ns;
    std::vector<Value> values;
    if (whole) {
        const bool short_xids = server_.anatomy.layout.major == mirror::first_major;
        const Counters added = mirror::difference(*now.counters, *last_->counters, short_xids);
        for (const auto& column : mirror::columns())
            values.push_back(column.value(now.window, added, seconds));
        added_.next_xid += added.next_xid;
        added_.latest_completed_xid += added.latest_completed_xid;
        if (added.completion_count)
            added_.completion_count = added_.completion_count.value_or(0) + *added.completion_count;
    } else {
        values.resize(mirror::columns().size());
    }
    total_ += now.window;
    gaps_ = now.gaps;
    last_ = std::move(now);
    return values;
}

void MirrorSource::stop() {
    end_ = lost_ ? sampler_.take_last() : sampler_.take();
    sampler_.stop();
}

void MirrorSource::put_totals(Run& run) const {
    const auto put = [&](const char* name, const char* unit, std::optional<std::uint64_t> value) {
        run.totals.push_back(
            {name, "mirror", unit, value ? std::optional(static_cast<std::int64_t>(*value)) : std::nullopt});
    };
    const auto worst = [](std::uint32_t value, std::uint64_t looks) {
        return looks > 0 ? std::optional<std::uint64_t>(value) : std::nullopt;
    };
    put("xids_assigned", "1", added_.next_xid);
    put("xid_ends", "1", added_.completion_count);
    put("latest_completed_advance", "1", added_.latest_completed_xid);
    put("samples", "1", total_.samples);
    put("roster_samples", "1", total_.roster_samples);
    put("xid_samples", "1", total_.xid_samples);
    put("xmin_samples", "1", total_.xmin_samples);
    put("proc_samples", "1", total_.proc_samples);
    put("lock_exclusive_samples", "1", total_.lock_exclusive);
    put("lock_shared_samples", "1", total_.lock_shared);
    put("oldest_xid_age", "xids", worst(total_.xid_age, total_.xid_samples));
    put("oldest_xmin_age", "xids", worst(total_.xmin_age, total_.xmin_samples));
    put("horizon_age", "xids", worst(total_.horizon_age, total_.xmin_samples));
    put("sampler_cpu_ns", "ns", sampler_.cpu_ns());
}

void MirrorSource::put_slots(Run& run) const {
    const auto& tally = sampler_.tally();
    const auto host_pid = server_.image->pid_translation();
    for (std::uint32_t number = 0; number < tally.slots().size(); ++number) {
        const auto& slot = tally.slots()[number];
        if (slot.samples == 0)
            continue;
        Slot& row = slot_row(run, number);
        if (!row.pid && slot.taken && slot.pid != 0)
            if (const auto pid = host_pid(slot.pid))
                row.pid = static_cast<std::uint32_t>(*pid);
        if (!row.backend)
            row.backend = sampler_.anatomy().kind_of(number);
        SlotSamples samples;
        samples.source = "mirror";
        samples.taken = slot.samples;
        samples.with_xid = slot.with_xid;
        if (slot.xmin_samples > 0) {
            samples.xmin_samples = slot.xmin_samples;
            samples.with_xmin = slot.with_xmin;
            samples.held_horizon = slot.held_horizon;
            samples.oldest_xmin_age = slot.xmin_age;
            samples.horizon_age = slot.horizon_age;
        }
        if (slot.proc_samples > 0) {
            samples.proc_samples = slot.proc_samples;
            samples.waiting_for_lock = slot.waiting;
            samples.database = slot.database;
        }
        row.samples.push_back(std::move(samples));
    }
}

// Of a server that does not tell its layout by itself.
void MirrorSource::describe(Run& run) const {
    if (!run.layout.arrays.empty())
        return;
    const auto& a = sampler_.anatomy();
    auto& arrays = run.layout.arrays;
    if (a.layout.all_pgxact) {
        arrays.push_back(describe_array("PGXACT", a.pgxact, *a.layout.pgxact_bytes, a.slots));
    } else {
        arrays.push_back(describe_array("xids", a.xids, 4, a.slots));
        arrays.push_back(describe_array("subxidStates", a.subxids, 2, a.slots));
        arrays.push_back(describe_array("statusFlags", a.flags, 1, a.slots));
    }
    arrays.push_back(describe_array("PGPROC", a.all_procs, a.layout.pgproc_bytes, a.slots));
}

void MirrorSource::finish(std::int64_t now_ns, Run& run) {
    end_ns_ = now_ns;
    if (gaps_ > 0)
        run.warnings.push_back(
            "the mirror lost sight of the server's shared memory " + std::to_string(gaps_) +
            " times (a crash restart, or its end): what happened around that is missing, and its windows are "
            "empty");
    if (!server_.unproven.empty())
        run.warnings.push_back("mirror: " + server_.unproven_fields() + ": " + server_.unproven);
    if (run.server.max_connections == std::nullopt)
        run.server.max_connections = server_.anatomy.max_connections;
    put_totals(run);
    put_slots(run);
}

std::string MirrorSource::notes() const {
    std::string text;
    const auto add = [&](const std::string& note) { text += (text.empty() ? "" : "; ") + note; };
    const double seconds = static_cast<double>(window_start_ns_ - start_ns_) / ns_per_s;
    const double reached = seconds > 0 ? static_cast<double>(total_.samples) / seconds : options_.rate_hz;
    if (reached < options_.rate_hz * least_share_of_rate)
        add(fmt::format("{:.0f} of {:.0f} samples a second were reached", reached, options_.rate_hz));
    if (!server_.unproven.empty())
        add(server_.unproven_fields() + ": " + server_.unproven);
    if (options_.map && !sampler_.not_mapped().empty())
        add(sampler_.not_mapped());
    return text;
}

SourceStatus MirrorSource::status() const {
    SourceStatus status = counted_status("mirror", start_ns_, end_ns_);
    status.kind = EvidenceKind::sampled;
    status.records = total_.samples;
    status.losses = {{"torn_roster", total_.torn_roster},
                     {"torn_counters", total_.torn_counters},
                     {"late_ticks", total_.late_ticks},
                     {"unreadable", total_.unreadable}};
    std::erase_if(status.losses, [](const NamedCount& way) { return way.count == 0; });
    for (const auto& way : status.losses)
        status.lost += way.count;
    status.reason = notes();
    if (gaps_ > 0) {
        status.state = SourceState::degraded;
        status.reason += (status.reason.empty() ? "" : "; ") +
                         std::string("the server's shared memory was replaced during the recording");
        if (const auto trouble = sampler_.trouble(); !trouble.empty())
            status.reason += " and not found again: " + trouble;
    }
    return status;
}

} // namespace snapscope
