// Source `mirror`: the proc array of any server from 13 to 18, read from
// outside (mirror/).  The server executes nothing for it.
#pragma once

#include "mirror/sampler.hpp"

#include <snapscope/collector/source.hpp>
#include <snapscope/collector/target.hpp>

#include <memory>
#include <string>

namespace snapscope {

// What has been found and proved; attaching goes on from here.
struct MirroredServer {
    std::unique_ptr<mirror::ServerImage> image;
    mirror::Anatomy anatomy;
    // Why the fields that only a session of ours proves are not proven; empty: they are.
    std::string unproven = "no session has been tried";

    // "104 slots in ordinary pages, offsets of the table for 15 and confirmed by 14 checks"
    [[nodiscard]] std::string layout_note() const;
    // "xmin, database and wait are unproven for this build"
    [[nodiscard]] std::string unproven_fields() const;
};

class MirrorSource final : public Source {
  public:
    // Finds the proc array and runs every check.  Class unavailable where it may
    // not be read, is not known, or is contradicted.
    static Result<MirroredServer> examine(const ProcFs& proc, const Postmaster& postmaster);
    // The probe session's proof as well; a login that fails is no error.
    static Result<MirroredServer> prove(const ProcFs& proc, const Postmaster& postmaster, const TargetSpec& spec);
    static Result<std::unique_ptr<MirrorSource>> attach(const ProcFs& proc, const Postmaster& postmaster,
                                                        const TargetSpec& spec, mirror::SamplerOptions options);

    [[nodiscard]] std::vector<SeriesName> series() const override;
    void describe(Run& run) const override;
    void start(std::int64_t now_ns) override;
    std::vector<Value> sample(std::int64_t now_ns) override;
    void lose_server() override { lost_ = true; }
    void stop() override;
    void finish(std::int64_t now_ns, Run& run) override;
    [[nodiscard]] SourceStatus status() const override;
    [[nodiscard]] bool interrupted() const override { return gaps_ > 0; }

  private:
    MirrorSource(MirroredServer server, mirror::SamplerOptions options);
    void put_totals(Run& run) const;
    void put_slots(Run& run) const;
    [[nodiscard]] std::string notes() const;

    MirroredServer server_;
    mirror::SamplerOptions options_;
    mirror::Sampler sampler_;
    std::optional<mirror::Reading> last_; // what the next window is a difference to
    std::optional<mirror::Reading> end_;  // as of stop()
    mirror::WindowTally total_;
    mirror::Counters added_; // since start(), gaps left out
    std::uint64_t gaps_ = 0;
    bool lost_ = false;
    std::int64_t start_ns_ = 0, end_ns_ = 0, window_start_ns_ = 0;
};

} // namespace snapscope
