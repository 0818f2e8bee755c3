// The names of run.json, once for writing and reading: a field is a name, a
// member, and where the JSON form is not the obvious one, a codec.
#pragma once

#include <snapscope/recording/run.hpp>

#include <array>
#include <string_view>
#include <tuple>

namespace snapscope::run_json {

struct Plain {};      // by type
struct HexAddress {}; // "0x7f..": JSON numbers hold 53 bits in many readers
struct CacheMode {};  // one of `cache_modes`
struct Level {};      // one of `levels`
struct GapKind {};    // one of `gap_kinds`
struct Later {};      // by type; a run of before has none: null, or an empty list

inline constexpr std::array<std::string_view, 5> cache_modes = {"off", "copy", "spin", "lockfree", "n/a"};
// What a matrix is by: what its rows are, and its columns where they are the same.
inline constexpr std::array<std::string_view, 7> levels = {"core", "llc",   "node",    "socket",
                                                           "line", "field", "function"};
inline constexpr std::array<std::string_view, 3> gap_kinds = {"crash", "restart", "upgrade"};
inline constexpr std::array<std::string_view, 6> evidence_kinds = {"counted",  "sampled",  "measured",
                                                                   "inferred", "emulated", "modelled"};
inline constexpr std::array<std::string_view, 4> source_states = {"available", "active", "degraded", "unavailable"};

template <class Owner, class Member, class Codec> struct Field {
    const char* name;
    Member Owner::*member;
};

template <class Codec = Plain, class Owner, class Member>
constexpr Field<Owner, Member, Codec> field(const char* name, Member Owner::*member) {
    return {name, member};
}

// Specialised for every struct of run.hpp.
template <class T> inline constexpr std::tuple<> fields{};

template <class T>
concept HasFields = std::tuple_size_v<std::remove_const_t<decltype(fields<T>)>>
!= 0;

template <>
inline constexpr auto fields<NamedCount> = std::tuple(field("name", &NamedCount::name),
                                                      field("count", &NamedCount::count));

template <>
inline constexpr auto
    fields<SourceStatus> = std::tuple(field("name", &SourceStatus::name), field("kind", &SourceStatus::kind),
                                      field("state", &SourceStatus::state), field("reason", &SourceStatus::reason),
                                      field("hint", &SourceStatus::hint), field("start_ns", &SourceStatus::start_ns),
                                      field("end_ns", &SourceStatus::end_ns), field("records", &SourceStatus::records),
                                      field("lost", &SourceStatus::lost), field("losses", &SourceStatus::losses));

template <>
inline constexpr auto fields<Total> = std::tuple(field("name", &Total::name), field("source", &Total::source),
                                                 field("unit", &Total::unit), field("value", &Total::value));

template <>
inline constexpr auto fields<Series> = std::tuple(field("name", &Series::name), field("source", &Series::source),
                                                  field("unit", &Series::unit), field("values", &Series::values));

template <>
inline constexpr auto fields<Windows> = std::tuple(field("start_ns", &Windows::start_ns),
                                                   field("end_ns", &Windows::end_ns),
                                                   field("series", &Windows::series));

template <>
inline constexpr auto
    fields<Histogram> = std::tuple(field("name", &Histogram::name), field("source", &Histogram::source),
                                   field("unit", &Histogram::unit), field("label", &Histogram::label),
                                   field("bounds", &Histogram::bounds), field("counts", &Histogram::counts),
                                   field("min", &Histogram::min), field("max", &Histogram::max));

template <>
inline constexpr auto fields<Matrix> = std::tuple(field("name", &Matrix::name), field("source", &Matrix::source),
                                                  field("unit", &Matrix::unit), field<Level>("by", &Matrix::by),
                                                  field("readers", &Matrix::readers),
                                                  field("writers", &Matrix::writers), field("counts", &Matrix::counts));

template <>
inline constexpr auto fields<CpuShare> = std::tuple(field("cpu", &CpuShare::cpu), field("run_ns", &CpuShare::run_ns));

template <>
inline constexpr auto fields<SlotSamples> = std::tuple(
    field("source", &SlotSamples::source), field("taken", &SlotSamples::taken),
    field("with_xid", &SlotSamples::with_xid), field("xmin_samples", &SlotSamples::xmin_samples),
    field("with_xmin", &SlotSamples::with_xmin), field("held_horizon", &SlotSamples::held_horizon),
    field("proc_samples", &SlotSamples::proc_samples), field("waiting_for_lock", &SlotSamples::waiting_for_lock),
    field("oldest_xmin_age", &SlotSamples::oldest_xmin_age), field("horizon_age", &SlotSamples::horizon_age),
    field("database", &SlotSamples::database));

template <>
inline constexpr auto
    fields<Slot> = std::tuple(field("slot", &Slot::slot), field("pid", &Slot::pid), field("backend", &Slot::backend),
                              field("taken", &Slot::taken), field("reused", &Slot::reused),
                              field("rebuilt", &Slot::rebuilt), field("private_scans", &Slot::private_scans),
                              field("events_lost", &Slot::events_lost), field("migrations", &Slot::migrations),
                              field("residency", &Slot::residency), field("samples", &Slot::samples),
                              field<Later>("migrations_across_llc", &Slot::migrations_across_llc),
                              field<Later>("migrations_across_node", &Slot::migrations_across_node),
                              field<Later>("migrations_across_socket", &Slot::migrations_across_socket));

template <>
inline constexpr auto
    fields<Array> = std::tuple(field("name", &Array::name), field<HexAddress>("address", &Array::address),
                               field("stride_bytes", &Array::stride_bytes), field("entries", &Array::entries),
                               field("lines", &Array::lines), field("straddling_entries", &Array::straddling_entries));

template <>
inline constexpr auto fields<HotPage> = std::tuple(field("array", &HotPage::array),
                                                   field<HexAddress>("address", &HotPage::address),
                                                   field("frame", &HotPage::frame), field("node", &HotPage::node));

template <>
inline constexpr auto fields<MemoryPlacement> =
    std::tuple(field<HexAddress>("segment_address", &MemoryPlacement::segment_address),
               field("page_bytes", &MemoryPlacement::page_bytes), field("policy", &MemoryPlacement::policy),
               field("numa_balancing", &MemoryPlacement::numa_balancing),
               field("shmem_huge_pages", &MemoryPlacement::shmem_huge_pages), field("pages", &MemoryPlacement::pages),
               field("notes", &MemoryPlacement::notes));

template <>
inline constexpr auto fields<Layout> = std::tuple(field("arrays", &Layout::arrays),
                                                  field("lines_per_scan", &Layout::lines_per_scan),
                                                  field<Later>("memory", &Layout::memory));

template <>
inline constexpr auto fields<Cpu> = std::tuple(field("cpu", &Cpu::cpu), field("core", &Cpu::core),
                                               field("node", &Cpu::node), field("socket", &Cpu::socket),
                                               field("llc", &Cpu::llc));

template <>
inline constexpr auto fields<Host> = std::tuple(field("name", &Host::name), field("kernel", &Host::kernel),
                                                field("cpu_model", &Host::cpu_model), field("arch", &Host::arch),
                                                field("hypervisor", &Host::hypervisor), field("cpus", &Host::cpus),
                                                field("memory_bytes", &Host::memory_bytes));

template <>
inline constexpr auto fields<Setting> = std::tuple(field("name", &Setting::name), field("value", &Setting::value));

template <>
inline constexpr auto
    fields<Server> = std::tuple(field("version", &Server::version), field("version_num", &Server::version_num),
                                field("build_id", &Server::build_id), field("pid", &Server::pid),
                                field("pgdata", &Server::pgdata), field("port", &Server::port),
                                field<CacheMode>("snapshot_cache", &Server::snapshot_cache),
                                field("max_connections", &Server::max_connections),
                                field("backends", &Server::backends), field("settings", &Server::settings));

template <>
inline constexpr auto fields<Workload> = std::tuple(
    field("command", &Workload::command), field("exit_status", &Workload::exit_status), field("tps", &Workload::tps),
    field("latency_ms", &Workload::latency_ms), field("latency_stddev_ms", &Workload::latency_stddev_ms),
    field("transactions", &Workload::transactions), field("transactions_failed", &Workload::transactions_failed),
    field("clients", &Workload::clients), field("clients_aborted", &Workload::clients_aborted),
    field("threads", &Workload::threads), field("duration_s", &Workload::duration_s),
    field("reconnect", &Workload::reconnect), field("valid", &Workload::valid), field("notes", &Workload::notes),
    field("progress_tps", &Workload::progress_tps));

template <>
inline constexpr auto fields<Clock> = std::tuple(field("start_ns", &Clock::start_ns), field("end_ns", &Clock::end_ns),
                                                 field("wall_start", &Clock::wall_start),
                                                 field("ticks_per_ns", &Clock::ticks_per_ns),
                                                 field("calibration_error_ns", &Clock::calibration_error_ns),
                                                 field("backward_stamps", &Clock::backward_stamps));

template <>
inline constexpr auto fields<Gap> = std::tuple(field("begin_ns", &Gap::begin_ns), field("end_ns", &Gap::end_ns),
                                               field<GapKind>("kind", &Gap::kind), field("reason", &Gap::reason),
                                               field("server_pid", &Gap::server_pid),
                                               field("server_version", &Gap::server_version));

template <>
inline constexpr auto fields<Pairing> = std::tuple(field("series", &Pairing::series), field("round", &Pairing::round),
                                                   field("position", &Pairing::position));

// schema_version and tool come first in run.json and are written by hand.
template <>
inline constexpr auto fields<Run> = std::tuple(field("id", &Run::id), field("finished", &Run::finished),
                                               field("clock", &Run::clock), field("host", &Run::host),
                                               field("server", &Run::server), field("layout", &Run::layout),
                                               field("sources", &Run::sources), field("totals", &Run::totals),
                                               field("windows", &Run::windows), field("histograms", &Run::histograms),
                                               field("matrices", &Run::matrices), field("slots", &Run::slots),
                                               field("workload", &Run::workload), field("pairing", &Run::pairing),
                                               field("events", &Run::events), field("warnings", &Run::warnings),
                                               field<Later>("gaps", &Run::gaps));

} // namespace snapscope::run_json
