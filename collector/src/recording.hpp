// A recording: sources started, windows taken, the load run, gaps survived, and
// everything written.  Used by record().
#pragma once

#include "event_pump.hpp"
#include "load_run.hpp"
#include "run_parts.hpp"
#include "server_return.hpp"
#include "stretch.hpp"

#include <snapscope/collector/record.hpp>
#include <snapscope/recording/run_folder.hpp>

namespace snapscope {

class Recording {
  public:
    Recording(const RecordOptions& options, std::unique_ptr<Stretch> stretch, const std::atomic<bool>& stop);

    Result<RecordOutcome> run(const std::function<void(const RecordProgress&)>& progress);

  private:
    using Progress = std::function<void(const RecordProgress&)>;

    // The beginning.
    Status describe();
    void name_columns();
    Status create_folder();
    Status start_events();
    void give_up_rights() const;
    void start_load();

    // Windows.
    void start_sources();
    void watch(const Progress& progress);
    void tell(const Progress& progress) const;
    void wait_until(std::int64_t until_ns);
    [[nodiscard]] bool over() const { return stop_.load() || load_ended_; }
    [[nodiscard]] bool ended() const { return over() || gone_; }
    void take_window();
    void write_window(WindowRow row);
    void end_observation();

    // Where the server goes away (recording_gap.cpp).
    [[nodiscard]] bool survive_gap(std::int64_t deadline_ns);
    void leave_server();
    [[nodiscard]] std::unique_ptr<Stretch> server_back(std::int64_t deadline_ns);
    [[nodiscard]] std::unique_ptr<Stretch> attach_again(const Postmaster& postmaster, int& attempts);
    void go_on(std::unique_ptr<Stretch> stretch);
    void warn_of_gaps();

    // The end.
    void finish_load();
    void finish_sources();
    void conclude();
    void warn_once(const Error& error);
    void note(const std::string& text) const;

    const RecordOptions& options_;
    const std::atomic<bool>& stop_;
    std::unique_ptr<Stretch> stretch_; // none while the server is away
    ServerReturn return_;
    RecordOptions again_;              // how later stretches are attached: with the sources of the first
    std::vector<std::size_t> columns_; // for each value that the stretch's sources tell, its series of the run
    std::size_t first_row_ = 0;        // of the stretch
    RunParts parts_;
    Run run_;
    std::optional<RunFolderWriter> folder_;
    std::optional<EventPump> pump_;
    std::optional<LoadRun> load_;
    std::string load_output_, load_errors_;
    std::int64_t window_start_ns_ = 0;
    bool gone_ = false; // the server, as far as has been noticed
    bool load_ended_ = false, load_failed_ = false;
    std::string server_end_; // in words; empty: it did not end
    bool partial_ = false, missing_requested_ = false, two_feeds_ = false;
    std::optional<std::size_t> taken_column_;
};

} // namespace snapscope
