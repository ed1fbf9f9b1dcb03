"""What the kernel still does for an analyst's function: a seccomp allow-list. Whatever is not in it is EPERM.

There is one filter, and the runner puts it on itself before it looks at the code. A filter of bubblewrap's own would
have to allow the start of a program, which is what is to be denied, and nothing that is not ours runs before this one.
A denied call fails and does not kill: libraries ask for much that they can do without.
"""

from __future__ import annotations

import errno
import os
from functools import cache

READ = "read readv pread64 preadv lseek close fstat newfstatat stat lstat statx access faccessat faccessat2"
FIND = "getdents64 readlink readlinkat getcwd"
WRITE = "write"  # nothing is open for writing but the number's pipe and the stream that goes nowhere
MEMORY = "mmap mprotect munmap mremap brk"
TIME = "clock_gettime clock_getres clock_nanosleep nanosleep gettimeofday time times"
SELF = "getpid gettid getppid getuid geteuid getgid getegid getrlimit sched_getaffinity sched_yield getcpu"
SIGNALS = "rt_sigaction rt_sigprocmask rt_sigreturn sigaltstack restart_syscall"
ELSE = "uname getrandom exit exit_group"
ALLOWED = " ".join((READ, FIND, WRITE, MEMORY, TIME, SELF, SIGNALS, ELSE)).split()

_WRITING = os.O_ACCMODE | os.O_CREAT | os.O_TRUNC
_F_GETFD, _F_SETFD, _F_GETFL, _F_DUPFD_CLOEXEC = 1, 2, 3, 1030
_TCGETS, _FIOCLEX = 0x5401, 0x5451
_FUTEX_PRIVATE = 128
_MADV_DONTNEED, _MADV_FREE, _MADV_HUGEPAGE, _MADV_NOHUGEPAGE = 4, 8, 14, 15


@cache
def filter_program() -> bytes:
    """The filter as the kernel reads it. No call of another architecture (32 bits) passes: it ends the process."""
    import pyseccomp as seccomp

    rules = seccomp.SyscallFilter(seccomp.ERRNO(errno.EPERM))
    rules.set_attr(seccomp.Attr.ACT_BADARCH, seccomp.KILL_PROCESS)
    for name in ALLOWED:
        if seccomp.resolve_syscall(seccomp.Arch.NATIVE, name) >= 0:  # each architecture lacks some
            rules.add_rule(seccomp.ALLOW, name)
    rules.add_rule(seccomp.ALLOW, "openat", seccomp.Arg(2, seccomp.MASKED_EQ, _WRITING, os.O_RDONLY))
    rules.add_rule(seccomp.ALLOW, "prlimit64", seccomp.Arg(2, seccomp.EQ, 0))  # limits are read, not set
    # Two runs map the same libraries: they may not wait for each other there, nor merge pages or throw them out.
    rules.add_rule(seccomp.ALLOW, "futex", seccomp.Arg(1, seccomp.MASKED_EQ, _FUTEX_PRIVATE, _FUTEX_PRIVATE))
    for advice in (_MADV_DONTNEED, _MADV_FREE, _MADV_HUGEPAGE, _MADV_NOHUGEPAGE):
        rules.add_rule(seccomp.ALLOW, "madvise", seccomp.Arg(2, seccomp.EQ, advice))
    for command in (_F_GETFD, _F_SETFD, _F_GETFL, _F_DUPFD_CLOEXEC):
        rules.add_rule(seccomp.ALLOW, "fcntl", seccomp.Arg(1, seccomp.EQ, command))
    for request in (_TCGETS, _FIOCLEX):
        rules.add_rule(seccomp.ALLOW, "ioctl", seccomp.Arg(1, seccomp.EQ, request))
    with os.fdopen(os.memfd_create("filter"), "w+b") as file:
        rules.export_bpf(file)
        file.seek(0)
        return file.read()
