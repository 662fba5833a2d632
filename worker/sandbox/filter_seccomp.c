/* worker/sandbox/filter_seccomp.c - the system calls that op code may make
 *
 * A program of the build: prints the filters as C (filter.inc), so that a
 * sandbox neither needs libseccomp nor spends time on it.  The tables list what
 * is allowed.  A call that no table names fails with ENOSYS, as on an older
 * kernel, so that libraries use what they use there; what they know to be
 * refused elsewhere fails with EPERM.  Nothing is killed.
 *
 * The filter sees numbers, never what an address points to.  docs/SECURITY.md
 * says what each of the choices below is for.
 */
#include <asm/ioctls.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/filter.h>
#include <linux/prctl.h>
#include <linux/sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

/* Sandboxes whose op code has a device's driver in its process. */
enum { HOST = 1, DEVICE = 2, BOTH = 3 };

/* --- calls that are allowed, or refused, whatever their arguments --- */

/* clang-format off */
static const char *const allowed[] = {
    /* Memory of its own. */
    "brk", "mmap", "mmap2", "munmap", "mremap", "mprotect", "madvise",
    "mincore", "msync", "mlock", "mlock2", "mlockall", "munlock", "munlockall",
    "mbind", "set_mempolicy", "get_mempolicy", "set_mempolicy_home_node",
    "memfd_create", "membarrier", "pkey_alloc", "pkey_free", "pkey_mprotect",
    /* Descriptors.  Landlock decides which files are opened for writing. */
    "read", "write", "readv", "writev", "pread64", "pwrite64", "preadv",
    "pwritev", "preadv2", "pwritev2", "lseek", "_llseek", "close",
    "dup", "dup2", "dup3", "pipe", "pipe2", "eventfd",
    "eventfd2", "epoll_create", "epoll_create1", "epoll_ctl", "epoll_wait",
    "epoll_pwait", "epoll_pwait2", "poll", "ppoll", "select", "_newselect",
    "pselect6", "signalfd", "signalfd4", "timerfd_create", "timerfd_settime",
    "timerfd_gettime", "sendfile", "splice", "tee", "copy_file_range",
    "ftruncate", "fallocate", "fadvise64", "readahead", "fsync", "fdatasync",
    "sync_file_range", "flock",
    /* Files and folders. */
    "stat", "lstat", "fstat", "newfstatat", "stat64", "lstat64", "fstat64",
    "fstatat64", "statx", "statfs", "fstatfs", "access", "faccessat",
    "faccessat2", "readlink", "readlinkat", "getdents", "getdents64",
    "getxattr", "lgetxattr", "fgetxattr", "listxattr", "llistxattr",
    "flistxattr", "rmdir", "unlink", "unlinkat", "rename", "renameat",
    "renameat2", "link", "linkat", "symlink", "symlinkat", "chdir", "fchdir",
    "getcwd", "umask",
    /* Processes and threads. */
    "fork", "vfork", "execve", "execveat", "exit", "exit_group", "wait4",
    "waitid", "set_tid_address", "set_robust_list", "rseq", "arch_prctl",
    "futex", "futex_waitv", "sched_yield", "sched_getaffinity",
    "sched_setaffinity", "sched_getscheduler", "sched_getparam",
    "sched_getattr", "sched_get_priority_max", "sched_get_priority_min",
    "sched_rr_get_interval", "getpriority", "ioprio_get", "getcpu", "getpid",
    "getppid", "gettid", "getpgid", "getpgrp", "getsid", "getuid", "geteuid",
    "getgid", "getegid", "getresuid", "getresgid", "getgroups", "capget",
    "getrlimit", "setrlimit", "ugetrlimit", "getrusage", "times", "sysinfo",
    "uname", "getrandom", "pidfd_open",
    /* Signals.  Landlock decides which processes they reach. */
    "rt_sigprocmask", "rt_sigpending", "rt_sigtimedwait", "rt_sigsuspend",
    "rt_sigreturn", "rt_sigqueueinfo", "rt_tgsigqueueinfo",
    "sigaltstack", "tkill", "tgkill", "pidfd_send_signal", "pause",
    "restart_syscall",
    /* Clocks. */
    "clock_gettime", "clock_getres", "clock_nanosleep", "nanosleep", "time",
    "gettimeofday", "alarm", "getitimer", "setitimer", "timer_create",
    "timer_settime", "timer_gettime", "timer_getoverrun", "timer_delete",
    /* On sockets that it has. */
    "recvfrom", "recvmsg", "recvmmsg", "sendmsg", "sendmmsg", "shutdown",
    "getsockname", "getpeername", "getsockopt", "setsockopt",
};

/* Those of a number that an older libseccomp cannot name. */
static const int allowed_new[] = {
#ifdef __x86_64__
    335, 336, /* uretprobe, uprobe: for root's tracers of the node */
#endif
    451,           /* cachestat */
    453,           /* map_shadow_stack */
    454, 455, 456, /* futex_wake, futex_wait, futex_requeue */
    462,           /* mseal */
};

/* A driver talks to the same driver in other processes. */
static const char *const allowed_on_device[] = {
    "connect", "bind", "listen", "accept", "accept4", "sendto",
};

/* Claim success and do nothing.
 * Group: the judge kills the whole group, so no process may leave it.
 * Modes and times: a filter cannot see which file they are of, and libraries
 * often set them on their own files.
 * sync: it would write all file systems of the node.
 */
static const char *const pretended[] = {
    "setsid", "setpgid", "chmod", "fchmod", "fchmodat", "utime", "utimes",
    "futimesat", "utimensat", "sync", "syncfs",
};

static const int pretended_new[] = {
    452, /* fchmodat2 */
};

static const char *const refused[] = {
    /* Other processes: their memory, registers, descriptors. */
    "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise",
    "process_mrelease", "pidfd_getfd", "kcmp", "userfaultfd",
    "perf_event_open", "bpf", "seccomp",
    /* Memory that other processes of the user may have. */
    "shmget", "shmat", "shmctl", "semget", "semctl", "msgget", "msgctl",
    "mq_open", "mq_unlink",
    /* Calls that the filter cannot see. */
    "io_uring_setup", "io_uring_enter", "io_uring_register",
    /* Namespaces and mounts. */
    "unshare", "setns", "mount", "umount2", "pivot_root", "chroot",
    "move_mount", "open_tree", "fsopen", "fsconfig", "fsmount", "fspick",
    "mount_setattr", "open_by_handle_at", "fanotify_init", "quotactl",
    "swapon", "swapoff",
    /* Owners, attributes and lengths by name, which no rule on folders covers
     * (the last one: before Landlock's third version).
     */
    "chown", "fchown", "lchown", "fchownat", "setxattr", "lsetxattr",
    "fsetxattr", "removexattr", "lremovexattr", "fremovexattr", "truncate",
    /* The kernel and the node. */
    "kexec_load", "kexec_file_load", "init_module", "finit_module",
    "delete_module", "add_key", "request_key", "keyctl", "reboot",
    "settimeofday", "clock_settime", "clock_adjtime", "adjtimex",
    "sethostname", "setdomainname", "iopl", "ioperm", "acct", "syslog",
    "vhangup",
};

static const char *const refused_on_host[] = {
    "socket", "connect", "bind", "listen", "accept", "accept4",
};
/* clang-format on */

/* --- calls that depend on their arguments --- */

/* The kernel takes these as 32 bits, whatever the caller leaves above them. */
#define LOW UINT64_C(0xffffffff)

#define IS(arg, value)                                                         \
    {                                                                          \
        arg, SCMP_CMP_MASKED_EQ, LOW, value                                    \
    }
#define IS_NOT(arg, value)                                                     \
    {                                                                          \
        arg, SCMP_CMP_NE, value, 0                                             \
    }
#define HAS(arg, bits, value)                                                  \
    {                                                                          \
        arg, SCMP_CMP_MASKED_EQ, bits, value                                   \
    }

enum { ALLOW = -1, PRETEND = 0 }; /* else an error */

/* CLONE_PARENT: the child would be the judge's. */
#define BAD_CLONE                                                              \
    ((uint64_t)(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |  \
                CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_PARENT))

/* Threads have the descriptors of their process: the judge looks at those. */
#define OF_ONE ((uint64_t)(CLONE_THREAD | CLONE_FILES))

#define SET_ID          (S_ISUID | S_ISGID)
#define MAKES           (O_CREAT | 020000000) /* O_TMPFILE without O_DIRECTORY */
#define NODE            (S_IFMT | SET_ID)
#define CUTS_NOT(flags) HAS(flags, O_TRUNC, 0)
#define WRITES(flags)   HAS(flags, O_ACCMODE, O_WRONLY)
#define UPDATES(flags)  HAS(flags, O_ACCMODE, O_RDWR)
#define NEG             UINT64_C(0x80000000)
#define TYPE            0xf        /* of a socket, without its flags */
#define GETS2           0x802c542a /* TCGETS2 */

/* clang-format off */
static const struct rule {
    const char *name;
    int where;
    int what;
    struct scmp_arg_cmp when[2];
} rules[] = {
    /* No program of its user's rights is made.  A file that is opened for
     * reading is not cut (before Landlock's third version no rule on folders
     * covers that).
     */
    { "open",          BOTH, ALLOW, { HAS(2, SET_ID, 0), CUTS_NOT(1) } },
    { "open",          BOTH, ALLOW, { HAS(2, SET_ID, 0), WRITES(1) } },
    { "open",          BOTH, ALLOW, { HAS(2, SET_ID, 0), UPDATES(1) } },
    { "open",          BOTH, ALLOW, { HAS(1, MAKES | O_TRUNC, 0) } },
    { "open",          BOTH, ALLOW, { HAS(1, MAKES | O_ACCMODE, O_WRONLY) } },
    { "open",          BOTH, ALLOW, { HAS(1, MAKES | O_ACCMODE, O_RDWR) } },
    { "openat",        BOTH, ALLOW, { HAS(3, SET_ID, 0), CUTS_NOT(2) } },
    { "openat",        BOTH, ALLOW, { HAS(3, SET_ID, 0), WRITES(2) } },
    { "openat",        BOTH, ALLOW, { HAS(3, SET_ID, 0), UPDATES(2) } },
    { "openat",        BOTH, ALLOW, { HAS(2, MAKES | O_TRUNC, 0) } },
    { "openat",        BOTH, ALLOW, { HAS(2, MAKES | O_ACCMODE, O_WRONLY) } },
    { "openat",        BOTH, ALLOW, { HAS(2, MAKES | O_ACCMODE, O_RDWR) } },
    { "creat",         BOTH, ALLOW, { HAS(1, SET_ID, 0) } },
    { "mkdir",         BOTH, ALLOW, { HAS(1, SET_ID, 0) } },
    { "mkdirat",       BOTH, ALLOW, { HAS(2, SET_ID, 0) } },
    { "mknod",         BOTH, ALLOW, { HAS(1, NODE, S_IFREG) } },
    { "mknod",         BOTH, ALLOW, { HAS(1, NODE, S_IFIFO) } },
    { "mknodat",       BOTH, ALLOW, { HAS(2, NODE, S_IFREG) } },
    { "mknodat",       BOTH, ALLOW, { HAS(2, NODE, S_IFIFO) } },
    /* Processes.  clone3 has its flags in memory, where no filter looks: it
     * does not exist, and the C library uses clone.
     */
    { "clone",         BOTH, ALLOW, { HAS(0, BAD_CLONE | CLONE_THREAD, 0) } },
    { "clone",         BOTH, ALLOW, { HAS(0, BAD_CLONE | OF_ONE, OF_ONE) } },
    { "kill",          BOTH, ALLOW, { HAS(0, NEG, 0) } },
    { "kill",          BOTH, ESRCH, { HAS(0, NEG, NEG) } }, /* groups, all */
    { "prlimit64",     BOTH, ALLOW, { IS(0, 0) } },
    { "move_pages",    BOTH, ALLOW, { IS(0, 0) } },
    { "setpriority",   BOTH, ALLOW, { IS(0, PRIO_PROCESS), IS(1, 0) } },
    { "ioprio_set",    BOTH, ALLOW, { IS(0, 1), IS(1, 0) } },
    { "sched_setscheduler", BOTH, ALLOW, { IS(0, 0) } },
    { "sched_setparam", BOTH, ALLOW, { IS(0, 0) } },
    { "sched_setattr", BOTH, ALLOW, { IS(0, 0) } },
    { "personality",   BOTH, ALLOW, { IS(0, LOW) } }, /* asks */
    { "prctl",         BOTH, ALLOW, { IS(0, PR_SET_NAME) } },
    { "prctl",         BOTH, ALLOW, { IS(0, PR_GET_NAME) } },
    { "prctl",         BOTH, ALLOW, { IS(0, PR_GET_PDEATHSIG) } },
    { "prctl",         BOTH, ALLOW, { IS(0, PR_SET_PDEATHSIG),
                                      HAS(1, ~UINT64_C(0), SIGKILL) } },
    { "prctl",         BOTH, PRETEND, { IS(0, PR_SET_PDEATHSIG),
                                        IS_NOT(1, SIGKILL) } },
    { "prctl",         BOTH, ALLOW, { IS(0, PR_GET_DUMPABLE) } },
    { "prctl",         BOTH, PRETEND, { IS(0, PR_SET_DUMPABLE) } },
    { "prctl",         BOTH, ALLOW, { IS(0, PR_CAPBSET_READ) } },
    { "prctl",         BOTH, ALLOW, { IS(0, PR_GET_SECCOMP) } },
    { "prctl",         BOTH, ALLOW, { IS(0, PR_SET_TIMERSLACK) } },
    { "prctl",         BOTH, ALLOW, { IS(0, PR_GET_TIMERSLACK) } },
    { "prctl",         BOTH, ALLOW, { IS(0, PR_SET_NO_NEW_PRIVS) } },
    { "prctl",         BOTH, ALLOW, { IS(0, PR_GET_NO_NEW_PRIVS) } },
    { "prctl",         BOTH, ALLOW, { IS(0, PR_SET_THP_DISABLE) } },
    { "prctl",         BOTH, ALLOW, { IS(0, PR_GET_THP_DISABLE) } },
    { "prctl",         BOTH, ALLOW, { IS(0, PR_SVE_SET_VL) } },
    { "prctl",         BOTH, ALLOW, { IS(0, PR_SVE_GET_VL) } },
    { "prctl",         BOTH, ALLOW, { IS(0, PR_GET_SPECULATION_CTRL) } },
    /* PR_SET_VMA: memory with a name would not be seen as deleted. */
    { "prctl",         BOTH, PRETEND, { IS(0, 0x53564d41) } },
    /* Memory without access, and a handler of faults that computes what is
     * there when it is read: results after the time of the call.  All signals
     * have handlers but SIGBUS (0111) and SIGSEGV (1011).
     */
    { "rt_sigaction",  BOTH, ALLOW, { HAS(0, 1, 0) } },
    { "rt_sigaction",  BOTH, ALLOW, { HAS(0, 2, 0) } },
    { "rt_sigaction",  BOTH, ALLOW, { HAS(0, 0xc, 0) } },
    { "rt_sigaction",  BOTH, ALLOW, { HAS(0, 0xc, 0xc) } },
    { "rt_sigaction",  BOTH, ALLOW, { HAS(0, 0x10, 0x10) } },
    { "rt_sigaction",  BOTH, ALLOW, { HAS(0, 0x20, 0x20) } },
    { "rt_sigaction",  BOTH, ALLOW, { HAS(0, 0x40, 0x40) } },
    { "rt_sigaction",  BOTH, ALLOW, { IS(0, SIGBUS),
                                      HAS(1, ~UINT64_C(0), 0) } }, /* asks */
    { "rt_sigaction",  BOTH, ALLOW, { IS(0, SIGSEGV),
                                      HAS(1, ~UINT64_C(0), 0) } },
    { "rt_sigaction",  BOTH, PRETEND, { IS(0, SIGBUS), IS_NOT(1, 0) } },
    { "rt_sigaction",  BOTH, PRETEND, { IS(0, SIGSEGV), IS_NOT(1, 0) } },
    /* Files: no attributes, leases, news of others' changes, owners of
     * signals, or pipes that hold more than usual.
     */
    { "close_range",   BOTH, ALLOW, { HAS(2, CLOSE_RANGE_UNSHARE, 0) } },
    { "fcntl",         BOTH, ALLOW, { IS(1, F_DUPFD) } },
    { "fcntl",         BOTH, ALLOW, { IS(1, F_DUPFD_CLOEXEC) } },
    { "fcntl",         BOTH, ALLOW, { IS(1, F_GETFD) } },
    { "fcntl",         BOTH, ALLOW, { IS(1, F_SETFD) } },
    { "fcntl",         BOTH, ALLOW, { IS(1, F_GETFL) } },
    { "fcntl",         BOTH, ALLOW, { IS(1, F_SETFL), HAS(2, O_ASYNC, 0) } },
    { "fcntl",         BOTH, ALLOW, { IS(1, F_GETLK) } },
    { "fcntl",         BOTH, ALLOW, { IS(1, F_SETLK) } },
    { "fcntl",         BOTH, ALLOW, { IS(1, F_SETLKW) } },
    { "fcntl",         BOTH, ALLOW, { IS(1, F_OFD_GETLK) } },
    { "fcntl",         BOTH, ALLOW, { IS(1, F_OFD_SETLK) } },
    { "fcntl",         BOTH, ALLOW, { IS(1, F_OFD_SETLKW) } },
    { "fcntl",         BOTH, ALLOW, { IS(1, F_GETPIPE_SZ) } },
    { "fcntl",         BOTH, ALLOW, { IS(1, F_ADD_SEALS) } },
    { "fcntl",         BOTH, ALLOW, { IS(1, F_GET_SEALS) } },
    { "ioctl",         BOTH, ALLOW, { IS(1, TCGETS) } }, /* isatty */
    { "ioctl",         BOTH, ALLOW, { IS(1, GETS2) } },
    { "ioctl",         BOTH, ALLOW, { IS(1, TIOCGWINSZ) } },
    { "ioctl",         BOTH, ALLOW, { IS(1, FIONREAD) } },
    { "ioctl",         BOTH, ALLOW, { IS(1, FIONBIO) } },
    { "ioctl",         BOTH, ALLOW, { IS(1, FIOCLEX) } },
    { "ioctl",         BOTH, ALLOW, { IS(1, FIONCLEX) } },
    /* NVIDIA's drivers: /dev/nvidiactl and the GPUs', /dev/nvidia-uvm. */
    { "ioctl",       DEVICE, ALLOW, { HAS(1, 0xff00, 'F' << 8) } },
    { "ioctl",       DEVICE, ALLOW, { HAS(1, LOW & ~UINT64_C(0xff), 0) } },
    { "ioctl",       DEVICE, ALLOW, { HAS(1, LOW & ~UINT64_C(0xff),
                                          0x30000000) } },
    /* The network, and services on sockets in files.  What is inherited
     * and pairs keep working, but for those that take an address with each
     * message.
     */
    { "socketpair",    BOTH, ALLOW, { IS(0, AF_UNIX),
                                      HAS(1, TYPE, SOCK_STREAM) } },
    { "socketpair",    BOTH, ALLOW, { IS(0, AF_UNIX),
                                      HAS(1, TYPE, SOCK_SEQPACKET) } },
    { "sendto",        HOST, ALLOW, { HAS(4, ~UINT64_C(0), 0) } },
    /* NVIDIA's driver asks the owner of memory for it by such a socket; those
     * of services (of keys, containers, the desktop) are streams.
     */
    { "socket",      DEVICE, ALLOW, { IS(0, AF_UNIX),
                                      HAS(1, TYPE, SOCK_SEQPACKET) } },
};
/* clang-format on */

static int print(scmp_filter_ctx ctx, const char *name)
{
    struct sock_filter line;
    FILE *f = tmpfile();
    size_t n = 0;

    if (!f || seccomp_export_bpf(ctx, fileno(f)) != 0 || fseek(f, 0, SEEK_SET))
        return -1;
    printf("static const struct sock_filter %s[] = {\n", name);
    for (; fread(&line, sizeof(line), 1, f) == 1; n++)
        printf("    {0x%02x, %u, %u, 0x%08x},\n", (unsigned)line.code,
               (unsigned)line.jt, (unsigned)line.jf, (unsigned)line.k);
    printf("};\n");
    fclose(f);
    return n > 0 ? 0 : -1;
}

static uint32_t action_of(int what)
{
    return what == ALLOW ? SCMP_ACT_ALLOW : SCMP_ACT_ERRNO((unsigned)what);
}

/* A call that this libseccomp or this processor does not know has no rule. */
static int add(scmp_filter_ctx ctx, const char *name, int what,
               const struct scmp_arg_cmp *when, unsigned n)
{
    int call = seccomp_syscall_resolve_name(name);
    int rc = call < 0
                 ? 0
                 : seccomp_rule_add_array(ctx, action_of(what), call, n, when);

    if (rc != 0)
        fprintf(stderr, "filter: '%s': %s\n", name, strerror(-rc));
    return rc;
}

static int add_names(scmp_filter_ctx ctx, const char *const *names, size_t n,
                     int what)
{
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < n; i++)
        rc = add(ctx, names[i], what, NULL, 0);
    return rc;
}

static int add_numbers(scmp_filter_ctx ctx, const int *calls, size_t n,
                       int what)
{
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < n; i++)
        rc = seccomp_rule_add_array(ctx, action_of(what), calls[i], 0, NULL);
    if (rc != 0)
        fprintf(stderr, "filter: by number: %s\n", strerror(-rc));
    return rc;
}

static int add_rules(scmp_filter_ctx ctx, int where)
{
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < N_ELEM(rules); i++)
        if (rules[i].where & where)
            rc = add(ctx, rules[i].name, rules[i].what, rules[i].when,
                     rules[i].when[1].op ? 2 : 1);
    return rc;
}

static int add_all(scmp_filter_ctx ctx, int where)
{
    int rc = add_rules(ctx, where);

    if (rc == 0)
        rc = add_names(ctx, allowed, N_ELEM(allowed), ALLOW);
    if (rc == 0)
        rc = add_numbers(ctx, allowed_new, N_ELEM(allowed_new), ALLOW);
    if (rc == 0)
        rc = add_names(ctx, pretended, N_ELEM(pretended), PRETEND);
    if (rc == 0)
        rc = add_numbers(ctx, pretended_new, N_ELEM(pretended_new), PRETEND);
    if (rc == 0)
        rc = add_names(ctx, refused, N_ELEM(refused), EPERM);
    if (rc == 0 && where == DEVICE)
        rc =
            add_names(ctx, allowed_on_device, N_ELEM(allowed_on_device), ALLOW);
    if (rc == 0 && where == HOST)
        rc = add_names(ctx, refused_on_host, N_ELEM(refused_on_host), EPERM);
    return rc;
}

/* Sorted, so that frequent calls pass few comparisons.  Another processor's
 * calls (of 32 bits) are refused altogether.
 */
static int make(int where, const char *name)
{
    scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));
    int rc = ctx ? 0 : -1;

    if (rc == 0)
        rc = seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH,
                              SCMP_ACT_ERRNO(EPERM));
    if (rc == 0)
        rc = seccomp_attr_set(ctx, SCMP_FLTATR_CTL_OPTIMIZE, 2);
    if (rc == 0)
        rc = add_all(ctx, where);
    if (rc == 0)
        rc = print(ctx, name);
    seccomp_release(ctx);
    return rc;
}

int main(void)
{
    return make(HOST, "filter_host") == 0 && make(DEVICE, "filter_device") == 0
               ? 0
               : 1;
}
