#include "server_image.hpp"

#include "../elf_symbols.hpp"
#include "dwarf_layout.hpp"

#include <snapscope/collector/binary.hpp>

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

namespace snapscope::mirror {
namespace {

constexpr std::size_t most_maps_bytes = std::size_t{64} << 20U;

struct VariableName {
    const char* name;
    Address Variables::*member;
};

std::vector<VariableName> variable_names(int major) {
    constexpr int renamed_in = 17;
    return {{"ProcGlobal", &Variables::proc_global},
            {major < renamed_in ? "ShmemVariableCache" : "TransamVariables", &Variables::variable_cache},
            {"MainLWLockArray", &Variables::main_lwlocks},
            {"MaxBackends", &Variables::max_backends},
            {"MaxConnections", &Variables::max_connections},
            {"max_worker_processes", &Variables::max_worker_processes},
            {"max_wal_senders", &Variables::max_wal_senders},
            {"max_prepared_xacts", &Variables::max_prepared_xacts}};
}

tl::unexpected<Error> unavailable(std::string what, std::string hint) {
    return fail(Error{ErrorClass::unavailable, std::move(what), std::move(hint)});
}

Result<FileIdentity> identity_of_exe(const ProcFs& proc, pid_t pid) {
    struct stat status {};
    if (::stat(proc.path(pid, "exe").c_str(), &status) != 0)
        return unavailable("no right to look at the server's binary",
                           "run as the server's user or with CAP_SYS_PTRACE");
    return FileIdentity{::major(status.st_dev), ::minor(status.st_dev), status.st_ino,
                        proc.link(pid, "exe").value_or("")};
}

} // namespace

Result<ServerImage> ServerImage::open(const ProcFs& proc, pid_t postmaster) {
    ServerImage image(proc, postmaster);
    const auto exe = proc.path(postmaster, "exe");
    const auto own_pid = proc.namespace_pid(postmaster);
    const auto binary = read_binary(exe);
    if (!own_pid || !binary)
        return unavailable(!own_pid ? "the server has ended" : binary.error().what,
                           "run as the server's user or with CAP_SYS_PTRACE");
    image.own_pid_ = *own_pid;
    image.version_ = binary->version.value_or("");
    if (image.version_.empty())
        return unavailable("the server's binary does not state its version", "");
    const auto major = supported_major(image.version_);
    if (!major)
        return fail(major.error());
    image.layout_ = table_layout(*major);
    if (auto known =
            layout_from_debug_information(exe, proc.path(postmaster, "root"), binary->build_id, table_layout(*major))) {
        image.layout_ = *known;
        image.origin_ = LayoutOrigin::debug_information;
    }
    SNAPSCOPE_TRY(image.find_variables());
    return image;
}

Status ServerImage::find_variables() {
    std::vector<std::string> names;
    for (const auto& variable : variable_names(layout_.major))
        names.emplace_back(variable.name);
    const auto symbols = read_symbols(proc_.path(pid_, "exe").string(), names);
    if (!symbols)
        return unavailable(symbols.error().what, symbols.error().hint);
    const auto file = identity_of_exe(proc_, pid_);
    if (!file)
        return fail(file.error());
    const auto mapped = maps();
    if (!mapped)
        return fail(mapped.error());
    const auto first = mapping_of(*mapped, *file);
    if (!first)
        return unavailable("the server's binary is not in its own address space", "");
    shift_ = first->start - symbols->first_byte;
    for (const auto& variable : variable_names(layout_.major)) {
        const Symbol* found = symbols->find(variable.name);
        if (found == nullptr)
            return unavailable(fmt::format("the server's binary exports no {}", variable.name),
                               "its dynamic symbol table is needed");
        variables_.*variable.member = found->value + shift_;
    }
    return {};
}

std::optional<Address> ServerImage::address_of(const std::string& variable) const {
    const auto symbols = read_symbols(proc_.path(pid_, "exe").string(), {variable});
    const Symbol* found = symbols ? symbols->find(variable) : nullptr;
    return found == nullptr ? std::nullopt : std::optional(found->value + shift_);
}

Result<std::vector<Mapped>> ServerImage::maps() const {
    const auto text = read_text(proc_.path(pid_, "maps"), most_maps_bytes);
    if (!text || text->empty())
        return unavailable("no right to read the server's memory map",
                           "run as the server's user or with CAP_SYS_PTRACE");
    return parse_maps(*text);
}

Result<Mapped> ServerImage::segment() const {
    const auto value = load<Address>(memory_, variables_.proc_global);
    if (!value)
        return fail(value.error());
    const auto mapped = maps();
    if (!mapped)
        return fail(mapped.error());
    const auto segment = mapping_at(*mapped, *value);
    if (!segment || !page_kind(*segment))
        return unavailable(fmt::format("ProcGlobal is {:#x}, expected an address in shared memory", *value),
                           "the server is starting, or this build is not known here");
    return *segment;
}

std::vector<pid_t> ServerImage::children() const {
    if (own_pid_ == pid_) // of one namespace
        return proc_.children_of(pid_);
    std::vector<pid_t> own;
    for (const pid_t pid : proc_.children_of(pid_))
        if (const auto number = proc_.namespace_pid(pid))
            own.push_back(*number);
    return own;
}

std::optional<pid_t> PidTranslation::operator()(pid_t pid) const {
    if (!host_pids_)
        return pid;
    const auto found = host_pids_->find(pid);
    return found == host_pids_->end() ? std::nullopt : std::optional(found->second);
}

PidTranslation ServerImage::pid_translation() const {
    if (own_pid_ == pid_)
        return {};
    std::map<pid_t, pid_t> host_pids;
    for (const pid_t child : proc_.children_of(pid_))
        if (const auto number = proc_.namespace_pid(child))
            host_pids.emplace(*number, child);
    return PidTranslation(std::move(host_pids));
}

Result<Anatomy> ServerImage::locate() const {
    const auto mapping = segment();
    if (!mapping)
        return fail(mapping.error());
    const ServerFacts facts{version_, own_pid_, *mapping, variables_, [this] { return children(); }};
    return mirror::locate(memory_, facts, layout_);
}

} // namespace snapscope::mirror
