// SPDX-License-Identifier: BSD-3-Clause
#include "cli/serve/confined.hpp"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <vector>

#include "redblue/error.hpp"

namespace redblue::cli {

namespace {

template <class Resource>
void limit(Resource resource, rlim_t most) {
  const rlimit both{most, most};
  if (setrlimit(resource, &both) != 0)
    throw Error("redblue serve", "the system limits no processes", "run it on Linux");
}

#if defined(__x86_64__)
constexpr unsigned architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr unsigned architecture = AUDIT_ARCH_AARCH64;
#endif

#if defined(__x86_64__) || defined(__aarch64__)
// What computing takes: memory, threads of this process, clocks, writing to what is open, an end.
constexpr int allowed[] = {
    __NR_read,
    __NR_write,
    __NR_writev,
    __NR_close,
    __NR_lseek,
    __NR_fstat,
    __NR_mmap,
    __NR_munmap,
    __NR_mprotect,
    __NR_mremap,
    __NR_madvise,
    __NR_brk,
    __NR_futex,
    __NR_rt_sigaction,
    __NR_rt_sigprocmask,
    __NR_rt_sigreturn,
    __NR_sigaltstack,
    __NR_getpid,
    __NR_gettid,
    __NR_tgkill,
    __NR_exit,
    __NR_exit_group,
    __NR_clock_gettime,
    __NR_clock_nanosleep,
    __NR_nanosleep,
    __NR_gettimeofday,
    __NR_getrusage,
    __NR_sched_yield,
    __NR_sched_getaffinity,
    __NR_getrandom,
    __NR_prlimit64,
    __NR_set_robust_list,
    __NR_rseq,
    __NR_getcwd,
    __NR_restart_syscall,
};

sock_filter load(std::size_t offset) {
  return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<unsigned>(offset));
}

sock_filter answer(unsigned what) {
  return BPF_STMT(BPF_RET | BPF_K, what);
}

// Skips the next `count` instructions unless the loaded word is `value`, or has a bit of it.
sock_filter unless(unsigned short test, unsigned value, unsigned char count) {
  return BPF_JUMP(static_cast<unsigned short>(BPF_JMP | test | BPF_K), value, 0, count);
}

std::vector<sock_filter> filter() {
  constexpr std::size_t flags_of_clone = offsetof(seccomp_data, args[0]);
  constexpr std::size_t flags_of_stat = offsetof(seccomp_data, args[3]);
  std::vector<sock_filter> program = {
      load(offsetof(seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, architecture, 1, 0),
      answer(SECCOMP_RET_KILL_PROCESS),
      load(offsetof(seccomp_data, nr)),
  };
  for (const int call : allowed) {
    program.push_back(unless(BPF_JEQ, static_cast<unsigned>(call), 1));
    program.push_back(answer(SECCOMP_RET_ALLOW));
  }
  // Threads. glibc asks by clone3, whose flags a filter cannot see, and then by clone.
  program.insert(program.end(), {
                                    unless(BPF_JEQ, __NR_clone3, 1),
                                    answer(SECCOMP_RET_ERRNO | ENOSYS),
                                    unless(BPF_JEQ, __NR_clone, 3),
                                    load(flags_of_clone),
                                    unless(BPF_JSET, CLONE_THREAD, 1),
                                    answer(SECCOMP_RET_ALLOW),
                                });
  program.insert(program.end(), {
                                    load(offsetof(seccomp_data, nr)),
                                    unless(BPF_JEQ, __NR_newfstatat, 3),
                                    load(flags_of_stat),
                                    unless(BPF_JSET, AT_EMPTY_PATH, 1),  // fstat
                                    answer(SECCOMP_RET_ALLOW),
                                    answer(SECCOMP_RET_ERRNO | ENOENT),
                                });
  return program;
}

void filter_calls() {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return;
  std::vector<sock_filter> instructions = filter();
  const sock_fprog program{static_cast<unsigned short>(instructions.size()), instructions.data()};
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
#else
void filter_calls() {}
#endif

}  // namespace

void limit_resources(int seconds) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  limit(RLIMIT_CPU, static_cast<rlim_t>(seconds));
  struct stat answer {};
  constexpr rlim_t most_written = 16U << 20U;
  const bool to_file = fstat(STDOUT_FILENO, &answer) == 0 && S_ISREG(answer.st_mode);
  limit(RLIMIT_FSIZE, to_file ? most_written : 0);
  limit(RLIMIT_CORE, 0);
#if !defined(__SANITIZE_ADDRESS__)  // whose shadow takes more
  constexpr rlim_t most_memory = rlim_t{2} << 30U;
  limit(RLIMIT_AS, most_memory);
#endif
}

void reach_nothing() {
  limit(RLIMIT_NOFILE, 0);
  filter_calls();  // refused: the limit above stands
}

}  // namespace redblue::cli
