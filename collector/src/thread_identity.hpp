// Another user's identity for one thread and one scope.
//
// The kernel keeps credentials by thread, and the C library's wrappers change
// all threads; the plain system calls change this one.  While a thread of root
// acts as another user it holds no effective capability.
#pragma once

#include <optional>
#include <sys/types.h>

namespace snapscope {

class ThreadIdentity {
  public:
    // Nothing happens for nullopt, the present user, or without the right.
    explicit ThreadIdentity(std::optional<uid_t> user);
    ThreadIdentity(const ThreadIdentity&) = delete;
    ThreadIdentity& operator=(const ThreadIdentity&) = delete;
    ThreadIdentity(ThreadIdentity&&) = delete;
    ThreadIdentity& operator=(ThreadIdentity&&) = delete;
    ~ThreadIdentity();

  private:
    std::optional<uid_t> old_user_;
    std::optional<gid_t> old_group_;
    int death_signal_ = 0; // of this process, should its parent die: the kernel forgets it with each change
};

} // namespace snapscope
