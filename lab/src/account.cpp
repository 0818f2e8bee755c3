#include <snapscope/lab/account.hpp>

#include <array>
#include <cstdlib>
#include <fmt/format.h>
#include <pwd.h>
#include <string_view>
#include <unistd.h>

namespace snapscope {
namespace {

std::optional<Account> find_account(const std::string& name) {
    std::array<char, 16384> buffer{};
    passwd entry{};
    passwd* found = nullptr;
    if (::getpwnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found) != 0 || found == nullptr)
        return std::nullopt;
    return Account{name, entry.pw_uid, entry.pw_gid};
}

} // namespace

Result<std::optional<Account>> server_account() {
    if (::geteuid() != 0)
        return std::nullopt;
    if (const char* named = std::getenv("SNAPSCOPE_SERVER_USER"); named != nullptr && *named != '\0') {
        auto account = find_account(named);
        if (!account)
            return fail(fmt::format("there is no account '{}' (SNAPSCOPE_SERVER_USER)", named));
        if (account->uid == 0)
            return fail("PostgreSQL does not run as root", "name another account in SNAPSCOPE_SERVER_USER");
        return account;
    }
    for (const auto* name : {"postgres", "nobody"})
        if (auto account = find_account(name))
            return account;
    return fail("there is no account to run servers under", "name one in SNAPSCOPE_SERVER_USER");
}

} // namespace snapscope
