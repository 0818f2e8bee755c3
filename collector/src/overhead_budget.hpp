// How much of the server's time probes may take, as an account: the server's CPU
// time pays in a share of itself, every trap takes out what it costs.  Pure.
//
// While the account is in the red the source must observe nothing; what it has
// then seen is a sample in time, and it says so.  An idle server pays in as if
// it used a little, so that its few probes never count as dear; what is saved up
// is limited, so that a calm hour does not buy a reckless minute.
#pragma once

namespace snapscope {

class OverheadBudget {
  public:
    // SHARE of the server's CPU time, 0.02 for 2 %; 1 and more: whatever it takes.
    explicit OverheadBudget(double share) : share_(share) {}

    // A stretch of `elapsed_ns` in which the server used `server_ns` of CPU time
    // and probes took `probe_ns` of it, in all servers that run the binary.
    void add(double elapsed_ns, double server_ns, double probe_ns);
    [[nodiscard]] bool allows() const { return balance_ns_ >= 0 || share_ >= 1; }
    // Probe time over the server's CPU time so far; 0 before the first stretch.
    [[nodiscard]] double spent_share() const;
    [[nodiscard]] double share() const { return share_; }

    // The part of the time that may be observed where probes would take COST_SHARE
    // of the server's CPU time: 1 within the budget.
    [[nodiscard]] double duty(double cost_share) const;

  private:
    double share_;
    double balance_ns_ = 0;
    double probe_ns_ = 0, server_ns_ = 0;
};

// CPU time that a server is taken to use at least.
[[nodiscard]] double at_least_used(double elapsed_ns, double server_ns);

// Below this part of the time a source switches itself off: what is left says nothing.
inline constexpr double least_duty = 0.02;

} // namespace snapscope
