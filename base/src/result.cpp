#include <snapscope/base/result.hpp>

#include <system_error>

namespace snapscope {

tl::unexpected<Error> fail_errno(std::string what, int errno_value, std::string hint) {
    return fail(std::move(what) + ": " + std::generic_category().message(errno_value), std::move(hint));
}

} // namespace snapscope
